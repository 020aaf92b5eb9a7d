import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { EventType } from '../../src/domain/events/catalogue.ts';
import { eventCatalogue, eventTypes } from '../../src/domain/events/catalogue.ts';
import { eventTypeDescriptions } from '../../src/domain/events/description.ts';
import { payloadFault, payloadSchema } from '../../src/domain/events/validation.ts';
import type { Json } from '../harness/client.ts';

/** SPEC, Event types. */
const specified = [
  'booking.created',
  'booking.confirmed',
  'booking.ticketed',
  'booking.cancelled',
  'booking.expired',
  'booking.failed',
  'booking.updated',
  'wallet.credit',
  'wallet.debit',
  'wallet.recharge.pending',
  'wallet.recharge.completed',
  'wallet.recharge.expired',
  'wallet.low_balance',
  'integration.connected',
  'integration.disconnected',
  'api_key.created',
  'api_key.revoked',
];

/** A copy of a type's example. */
const exampleOf = (type: EventType): Json => structuredClone(eventCatalogue[type].example);

describe('The catalogue of events', () => {
  it('holds the types that SPEC names, and no others', () => {
    expect([...eventTypes].sort()).toEqual([...specified].sort());
  });

  describe.each(eventTypes)('%s', (type) => {
    it('has a description, and an example that fits its payload', () => {
      expect(eventCatalogue[type].description).toMatch(/^[A-Z].*\.$/);
      expect(payloadFault(type, exampleOf(type))).toBeNull();
    });

    it('refuses what lacks a required member of the object, and what has one too many', () => {
      const { object } = payloadSchema(type).properties as Json;
      expect(object.required.length).toBeGreaterThan(2);
      for (const member of object.required) {
        const { [member]: _left, ...rest } = exampleOf(type).object;
        const fault = payloadFault(type, { ...exampleOf(type), object: rest });
        expect(fault, `without ${member}`).toMatch(new RegExp(`^object\\.${member}: `));
      }
      const stray = { ...exampleOf(type).object, password: 'hunter2' };
      expect(payloadFault(type, { ...exampleOf(type), object: stray })).toBe(
        'object: unrecognized_keys password',
      );
    });

    it('refuses text and null in the place of the object, and says nothing of what they hold', () => {
      for (const object of ['secret', null, 5, []]) {
        expect(payloadFault(type, { ...exampleOf(type), object })).toBe('object: invalid_type');
      }
    });

    it('publishes a schema that its example fits, also with members that a later version adds', () => {
      const { schema, example } = eventTypeDescriptions().find((known) => known.type === type)!;
      const published = z.fromJSONSchema(schema);
      const later: Json = structuredClone(example);
      later.added = later.data.added = later.data.object.added = 1;
      expect(published.safeParse(later).error).toBeUndefined();
      for (const member of Object.keys(example)) {
        const { [member]: _left, ...rest } = example;
        expect(published.safeParse(rest).success, `without ${member}`).toBe(false);
      }
      delete later.data.object[Object.keys(later.data.object)[0]!];
      expect(published.safeParse(later).success).toBe(false);
    });
  });

  it.each([
    ['money as a number', 'wallet.credit', { amount: 500 }],
    ['money with one decimal', 'wallet.credit', { amount: '500.0' }],
    ['a debit told as a credit', 'wallet.credit', { type: 'debit' }],
    ['a time without milliseconds', 'wallet.credit', { created_at: '2026-11-20T12:01:09Z' }],
    ['the id of another kind', 'wallet.credit', { id: 'rch_01jd4ymq2ve5j8v2r0h3m6x9qb' }],
    ['a status that the type does not mean', 'wallet.recharge.completed', { status: 'pending' }],
    ['a booking in another state', 'booking.ticketed', { status: 'confirmed' }],
  ] as const)('refuses %s', (_what, type, change) => {
    const object = { ...exampleOf(type).object, ...change };
    expect(payloadFault(type, { ...exampleOf(type), object })).toMatch(
      new RegExp(`^object\\.${Object.keys(change)[0]}: `),
    );
  });

  it.each(['booking.ticketed', 'booking.updated', 'wallet.recharge.completed', 'api_key.revoked'] as const)(
    'refuses %s without previous attributes, and with none in them',
    (type) => {
      const { object } = exampleOf(type);
      expect(payloadFault(type, { object })).toMatch(/^previous_attributes: /);
      expect(payloadFault(type, { object, previous_attributes: {} })).toMatch(/^previous_attributes/);
    },
  );

  it('refuses types that are not in it', () => {
    expect(payloadFault('wallet.emptied', { object: {} })).toBe('type: unknown');
  });
});
