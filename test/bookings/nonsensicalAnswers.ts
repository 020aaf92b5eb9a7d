import { describe, expect, it } from 'vitest';
import type { OrderRequest, OrderState } from '../../src/infrastructure/flights/order.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { ticketed } from './airline.ts';
import type { BookingStage } from './bookingSteps.ts';
import { agencyWith, booked, held, moneyOf, untilStatus } from './bookingSteps.ts';

const slice = { origin: 'GRU', destination: 'GIG', departureDate: '2026-12-10' };

/** What is done when suppliers answer what makes no sense, as part of what is done about their faults. */
export function describeNonsense(stage: BookingStage): void {
  const { airline } = stage;
  const asked = (id: string, method: 'hold' | 'issue' | 'cancel') => airline.askedFor(id, method).length;

  describe('answer nonsense', () => {
    const document = ({ travellers }: OrderRequest) => ({
      type: 'electronic_ticket',
      uniqueIdentifier: '957-0000000001',
      passengerId: travellers[0]!.id,
    });
    const tickets = (documents: unknown) => ({ state: 'ticketed', documents });
    const nonsense: Record<string, (request: OrderRequest) => unknown> = {
      'nothing at all': () => undefined,
      'an unknown state': () => ({ state: 'sold' }),
      'tickets without documents': () => tickets(undefined),
      'no ticket for a traveller': () => tickets([]),
      'a ticket for a stranger': (request) => tickets([{ ...document(request), passengerId: 'pas_x' }]),
      'a ticket more for a stranger': (request) =>
        tickets([document(request), { ...document(request), passengerId: 'pas_x' }]),
      'a ticket without a number': (request) => tickets([{ ...document(request), uniqueIdentifier: null }]),
      'a ticket without a type': (request) => tickets([{ ...document(request), type: undefined }]),
      'a number of no ticket': (request) => tickets([{ ...document(request), uniqueIdentifier: '\0' }]),
      'no document': () => tickets([null]),
      'a locator of the carrier that is a number': (request) => ({
        ...ticketed(request),
        carrierReference: 7,
      }),
      'an empty one': (request) => ({ ...ticketed(request), carrierReference: '' }),
      'one of two words': () => ({ state: 'issuing', carrierReference: 'XKP TRB' }),
    };

    it.each(Object.keys(nonsense))('are asked again: %s', async (name) => {
      const { live } = await agencyWith(stage, '1000.00');
      const { id: paidId } = await (async () => {
        airline.answers.issue = async (request) =>
          (asked(request.bookingId, 'issue') === 1 ? nonsense[name]!(request) : ticketed(request)) as Json;
        return booked(stage, live);
      })();
      const done = await untilStatus(stage, live, paidId, 'ticketed');
      expect(asked(paidId, 'issue')).toBe(2);
      expect(done.documents.map((one: Json) => one.unique_identifier)).toEqual(['957-0000000000']);
      expect(await moneyOf(stage.door, live)).toEqual(['600.00', '600.00', '0.00']);
      const complaint = stage.server.logLines.filter((line) => line.includes(paidId));
      expect(complaint.some((line) => line.includes('flight supplier did not answer an order'))).toBe(true);
    });

    it('to a hold are asked again', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      airline.answers.hold = async ({ bookingId }) =>
        (asked(bookingId, 'hold') === 1 ? {} : { state: 'held' }) as OrderState;
      const { id } = await held(stage, live);
      await eventually(() => {
        stage.clock.advance(250);
        return asked(id, 'hold') === 2;
      });
    });

    it.each([
      { price: '0.00' },
      { price: '-1.00' },
      { price: 'free' },
      { penalty: '-10.00' },
      { penalty: '' },
      { penalty: '1e2' },
    ])('about money offer nothing: %j', async (terms) => {
      const { live } = await agencyWith(stage, null);
      airline.terms = terms;
      const search = { type: 'one_way', slices: [slice], passengers: [{ type: 'adult', count: 1 }] };
      const found = await stage.server.rest('POST', '/api/v1/flights/search', { key: live, body: search });
      expect([found.status, found.body.offers]).toEqual([200, []]);
    });
  });
}
