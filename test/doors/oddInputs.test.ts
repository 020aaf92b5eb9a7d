import { getNamedType, isInputObjectType, isNonNullType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mostFaults } from '../../src/errors.ts';
import { Airline } from '../bookings/airline.ts';
import type { Json } from '../harness/client.ts';
import { describeEngines, doorsOf } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { TestClock } from '../harness/testClock.ts';
import { Bank } from '../payments/bank.ts';
import { type Member, membersOf, withValue } from './inputMembers.ts';
import { type OddAnswer, overGraphql, overRest, type Target } from './oddTargets.ts';
import { asText, oddValues, stretched } from './oddValues.ts';
import { operatorRequests } from './operatorRequests.ts';
import {
  type Belongings,
  furnish,
  namingRequests,
  otherRequests,
  subscriptionRequests,
} from './soundRequests.ts';

/**
 * Whatever is put in the place of any one member of a request that is sound otherwise is accepted and kept as it was
 * written, or refused by its name. For every argument, member, parameter and body of both doors, present and future:
 * they are found in the schema and the routes. A text of a write must have a longest length. What is refused is named as well
 * where something else of the request is not even of its type.
 */

/** Where texts that a write has kept are read afterwards, of its answer. */
const readers: Readonly<Record<string, (answer: Json) => [query: string, variables: Json]>> = {
  createTeam: ({ id }) => ['team', { id }],
  updateTeam: ({ id }) => ['team', { id }],
  createApiKey: ({ apiKey: { teamId } }) => ['apiKeys', { teamId }],
  createWebhook: ({ id }) => ['webhook', { id }],
  updateWebhook: ({ id }) => ['webhook', { id }],
  createBooking: ({ id }) => ['booking', { id }],
  dismissPayment: () => ['settledPayments', { page: 1, limit: 100 }],
  recordTickets: ({ bookingId }) => ['supplierOrder', { bookingId }],
};

/** Values of webhooks' headers are kept encrypted, and shown to nobody; since when is replayed is kept nowhere. */
const unread = [
  'createWebhook headers.0.value',
  'updateWebhook headers.0.value',
  'replayWebhookDeliveries since',
];

const isAbout = (fault: string, { field }: Member): boolean =>
  fault === field || fault.startsWith(`${field}.`) || field.startsWith(`${fault}.`);

/** What is wrong with a refusal of an odd member; null for nothing. */
function faultOfRefusal({ status, refusal, text }: OddAnswer, member: Member, value: unknown): string | null {
  const { code, fields } = refusal ?? { code: '', fields: [] };
  if (status >= 500 || code === 'INTERNAL_ERROR') return 'is no refusal';
  if (text.length > 20_000) return 'is a refusal that nobody can read to its end';
  // What is looked for is not there under that name.
  if (code === 'NOT_FOUND' && typeof member.value === 'string') return null;
  if (code !== 'VALIDATION_ERROR') return `is refused with ${code}`;
  // Where it may be left out, others may need it; and a path with something odd in it may be none, or another one.
  if (value === null && !isNonNullType(member.type)) return null;
  if (fields.some((fault) => fault === 'path' || fault === 'method' || isAbout(fault, member))) return null;
  return `is refused for ${fields.slice(0, 3)}`;
}

/** The ways in which a text may be given back: white space around it aside, and numbers and codes without punctuation. */
function spellingsOf(text: string): string[] {
  const bare = text.replace(/[^\p{L}\p{N}]/gu, '');
  return [text, text.trim(), ...(/^[0-9A-Z]+$/.test(bare) ? [bare] : [])];
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** How faults end that only what is kept can show, such as the offer that is booked. */
const decidedByWhatIsKept = [
  'unknown',
  'missing',
  'age',
  'expired',
  'passport_required',
  'adults_only',
  'adult_required',
  'not_an_infant',
  'infant_passenger_id repeated',
];

/** Faults that a refusal names, but not when any of the others is not of its type. A rule may ask for one of them. */
async function unnamedBeside(
  others: readonly Member[],
  told: readonly string[],
  sendWith: (field: string, wrong: unknown) => Promise<OddAnswer>,
): Promise<string[]> {
  if (others.length === 0) return [];
  // Of a hundred some make room for the other.
  let unnamed = told
    .slice(0, mostFaults - 1)
    .filter((fault) => !decidedByWhatIsKept.some((end) => fault.endsWith(end)));
  for (const { field, type } of others) {
    if (unnamed.length === 0) break;
    const { refusal } = await sendWith(field, isInputObjectType(getNamedType(type)) ? 1 : {});
    unnamed = unnamed.filter((fault) => !refusal?.faults.includes(fault));
  }
  return unnamed;
}

const shown = (value: unknown): string => JSON.stringify(asText(value)).slice(0, 60);

describeEngines('any odd value of any one member', (engine) => {
  let server: TestServer;
  const airline = new Airline();
  airline.terms = { holdUntil: new Date('2026-11-19T12:00:00.000Z') };
  beforeAll(async () => {
    server = await startTestServer(engine, {
      clock: new TestClock(),
      paymentProvider: new Bank(),
      flightSuppliers: [airline],
      // Nothing is sent, and no supplier changes a booking.
      settings: { ROLES: 'api', WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true', WEBHOOK_REACHABILITY_CHECK: 'false' },
    });
  });
  afterAll(() => server?.close());

  /** A sound request of an operation, again and again, and the key that it is sent with. */
  async function prepared({ operation, isOfOperators, requestFrom }: Target) {
    const team = await server.createTeam();
    if (isOfOperators) {
      const make = operatorRequests[operation];
      if (!make) throw new Error(`operatorRequests has no ${operation}: add it`);
      return { key: server.keys.operator, make: async () => requestFrom(await make({ server, team })) };
    }
    const key = team.test;
    const other = otherRequests[operation];
    if (other) return { key, make: async () => requestFrom(other()) };
    const naming = namingRequests[operation] ?? subscriptionRequests[operation];
    if (!naming) throw new Error(`soundRequests has no ${operation}: add it`);
    let belongings: Belongings | undefined;
    const make = async () => {
      // What keeps a text can be asked again; anything else may have used up what it named.
      if (!belongings || !(operation in readers)) belongings = await furnish(server, key, 'test');
      return requestFrom(naming(belongings));
    };
    return { key, make };
  }

  /** What is wrong with what became of an odd member that was accepted; null for nothing. */
  async function faultOfKept(target: Target, member: Member, value: unknown, answer: OddAnswer, key: string) {
    const place = `${target.operation} ${member.field}`;
    if (!target.isWrite || typeof value !== 'string' || unread.includes(place)) return null;
    const reader = readers[target.operation];
    if (!reader) return 'is kept, and nobody says where it is read: add a reader';
    const [operation, variables] = reader(answer.data);
    const query = overGraphql.find((one) => one.operation === operation);
    const read = await query?.send(server, key, variables);
    const texts = textsIn(read?.data);
    return spellingsOf(value).some((text) => texts.includes(text)) ? null : 'is kept as something else';
  }

  const targets = doorsOf(engine, [overGraphql, overRest]).flat();
  describe.each(targets)('of $title', (target) => {
    it('is accepted and kept as it is, or refused by name', async () => {
      const { key, make } = await prepared(target);
      let sound = await make();
      const members = membersOf(target.inputs, sound);
      const faults: string[] = [];
      const known = new Set<string>();
      const attempt = async (member: Member, value: unknown, mayBeAccepted: boolean) => {
        const answer = await target.send(server, key, withValue(sound, member.field, value));
        const isUsedUp = answer.refusal === null && target.isWrite;
        if (isUsedUp) sound = await make();
        const fault = answer.refusal
          ? faultOfRefusal(answer, member, value)
          : mayBeAccepted
            ? await faultOfKept(target, member, value, answer, key)
            : 'has no longest length';
        if (fault) faults.push(`${member.field} ${shown(value)} ${fault}`);
        const told = answer.refusal?.faults ?? [];
        if (known.has(told.join()) || !overGraphql.includes(target)) return;
        known.add(told.join());
        const others = members.filter((other) => !isAbout(other.field, member));
        const unnamed = await unnamedBeside(others, told, (field, wrong) =>
          target.send(server, key, withValue(withValue(sound, member.field, value), field, wrong)),
        );
        for (const one of unnamed) faults.push(`${one} is not named beside what is not of its type`);
      };
      for (const member of members) {
        for (const value of oddValues(member.type, member.value)) await attempt(member, value, true);
        if (typeof member.value !== 'string') continue;
        for (const text of stretched(member.value)) await attempt(member, text, !target.isWrite);
      }
      expect(faults).toEqual([]);
      const { refusal } = await target.send(server, key, sound);
      expect(refusal).toBeNull();
    });
  });
});
