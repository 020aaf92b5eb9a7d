import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Outcome } from '../doors/door.ts';
import { dataOf, pixOf } from '../doors/door.ts';
import type { Build, BuiltServer } from '../harness/builtServer.ts';
import { allocateStore, buildServer } from '../harness/builtServer.ts';
import type { Json } from '../harness/client.ts';
import { eventually, restRequest } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { lookAtDead, workAndDie } from '../harness/killedServer.ts';
import { doorsAt, inDays, requestFor } from './bookingSteps.ts';

const rounds = 2;
/** With twice the least there are far more answers than the test asks for at its end. */
const work = { clients: 10, least: 30, most: 139 };

/** One request with a key of its own, and what its client was told before the server died. */
interface Attempt {
  key: string;
  caller: string;
  door: 0 | 1;
  kind: 'create' | 'confirm' | 'cancel';
  /** The booking, once there is one. */
  id: string;
  request: Json;
  answer: Outcome | null;
}

interface Offers {
  instant: Json;
  hold: Json;
}

const chance = (share: number) => Math.random() < share;

const passport = (number: string) => ({
  type: 'passport',
  number,
  issuing_country: 'BR',
  expires_on: inDays(365),
});

let build: Build;
beforeAll(async () => {
  build = await buildServer();
});
afterAll(() => build?.remove());

describeEngines('kill -9 while bookings are made', (engine) => {
  let store: Awaited<ReturnType<typeof allocateStore>>;
  let environment: Record<string, string>;
  const offers = new Map<string, Offers>();
  const attempts: Attempt[] = [];

  beforeAll(async () => {
    store = await allocateStore(engine);
    environment = {
      ...store.environment,
      RATE_LIMIT_BOOKINGS: '1000000',
      RATE_LIMIT_SEARCH: '1000000',
      OFFER_LIFETIME: '24h',
      SIMULATED_TICKETING_DELAY: '50ms',
      // What a dead process was asking for is asked again ten seconds after this.
      FLIGHT_ORDER_TIMEOUT: '3s',
    };
  });
  afterAll(() => store?.release());

  /** Money, and for each mode an offer to pay at once and one to hold. */
  async function prepare({ url }: BuiltServer): Promise<void> {
    const { live, test } = store.keys;
    const [door] = doorsAt(url);
    for (const _ of [1, 2]) {
      const { id } = dataOf(await door.createRecharge(live, pixOf('50000.00')));
      await restRequest(url, 'POST', `/simulator/recharges/${id}/pay`, { key: live });
    }
    const departureDate = inDays(20);
    for (const [key, origin, destination] of [
      [live, 'GRU', 'LIS'],
      [test, 'JFK', 'EWR'],
    ] as const) {
      const { body } = await restRequest(url, 'POST', '/api/v1/flights/search', {
        key,
        body: {
          type: 'one_way',
          slices: [{ origin, destination, departureDate }],
          passengers: [{ type: 'adult', count: 1 }],
        },
      });
      const hold = body.offers.find(
        ({ payment_requirements: terms }: Json) => !terms.requires_instant_payment,
      );
      offers.set(key, { instant: body.offers[0], hold });
    }
  }

  const send = (server: BuiltServer, { door, kind, caller, id, request, key }: Attempt) => {
    const at = doorsAt(server.url)[door];
    const options = { idempotencyKey: key };
    if (kind === 'create') return at.createBooking(caller, request, options);
    return kind === 'confirm'
      ? at.confirmBooking(caller, id, {}, options)
      : at.cancelBooking(caller, id, options);
  };

  /** What clients do: a booking, perhaps asked for twice; a hold is mostly confirmed, and some are cancelled. */
  async function act(server: BuiltServer, acknowledge: () => void): Promise<void> {
    const attempt = async (kind: Attempt['kind'], caller: string, id: string, request: Json = null) => {
      const key = `${kind} ${attempts.length}`;
      const made: Attempt = { key, caller, door: chance(0.5) ? 0 : 1, kind, id, request, answer: null };
      attempts.push(made);
      const copies = Array.from({ length: chance(0.2) ? 2 : 1 }, async () => {
        made.answer = await send(server, made);
        acknowledge();
      });
      await Promise.all(copies);
      return made.answer as Outcome | null;
    };
    const caller = store.keys[chance(0.4) ? 'live' : 'test'];
    const type = chance(0.5) ? 'hold' : 'instant';
    const offer = (offers.get(caller) as Offers)[type];
    const request = requestFor(offer, type);
    request.passengers[0].identity_document = passport(`FX${100_000 + attempts.length}`);
    const created = await attempt('create', caller, '', request);
    if (!created?.ok) return expect(created?.error.message).toBe('Insufficient balance');
    if (type === 'hold' && chance(0.8))
      expect(dataOf((await attempt('confirm', caller, created.data.id))!)).toBeTruthy();
    if (chance(0.3)) expect(dataOf((await attempt('cancel', caller, created.data.id))!)).toBeTruthy();
  }

  /** What was acknowledged is there. */
  const checkRows = () =>
    lookAtDead(environment, async (query) => {
      const rows = await query('SELECT id, status, debit_id FROM bookings');
      const byId = new Map(rows.map((row) => [row.id, row]));
      for (const { kind, id, answer } of attempts) {
        if (!answer?.ok) continue;
        const row = byId.get(kind === 'create' ? answer.data.id : id);
        expect(row, `${kind} ${id}`).toBeDefined();
        if (kind === 'confirm') expect(row.debit_id).not.toBeNull();
        if (kind === 'cancel') expect(row.status).toBe('cancelled');
      }
      const keys = await query('SELECT key FROM idempotency_keys');
      return { bookings: rows.length, keys: new Set(keys.map(({ key }) => key)) };
    });

  /** Asks for everything again, with the same keys: what was stored is repeated, what was not had left nothing. */
  async function replayAll(server: BuiltServer, keys: Set<string>): Promise<Set<string>> {
    const queue = attempts.toReversed();
    const storedIds = new Set<string>();
    const replay = async () => {
      for (let attempt = queue.pop(); attempt; attempt = queue.pop()) {
        const { answer, key, kind } = attempt;
        const again = await send(server, attempt);
        expect(again.replayed, key).toBe(keys.has(key));
        if (answer) expect({ key, text: again.text }).toEqual({ key, text: answer.text });
        if (kind === 'create' && again.ok && again.replayed) storedIds.add(again.data.id);
      }
    };
    await Promise.all(Array.from({ length: work.clients }, replay));
    return storedIds;
  }

  /** What carriers still had to do when the server died is done after its restart. */
  const allTicketed = (server: BuiltServer) =>
    eventually(async () => {
      const [door] = doorsAt(server.url);
      const left = await Promise.all(
        [store.keys.live, store.keys.test].map(
          async (key) => dataOf(await door.bookings(key, { status: 'confirmed', limit: 1 })).pagination.total,
        ),
      );
      return left.every((total) => total === 0);
    }, 60_000);

  it('loses nothing that was acknowledged, leaves nothing half-done and issues every ticket', async () => {
    let server = await build.start(environment);
    await prepare(server);
    for (let round = 1; round <= rounds; round += 1) {
      if (round > 1) server = await build.start(environment);
      await workAndDie(server, work, (acknowledge) => act(server, acknowledge));
      await checkRows();
    }
    const { bookings, keys } = await checkRows();
    const survivor = await build.start(environment);
    const storedIds = await replayAll(survivor, keys);
    expect(storedIds.size).toBe(bookings);
    await allTicketed(survivor);
    expect(await survivor.stop()).toBe(0);
    await lookAtDead(environment, async (query) => {
      const unfinished = await query(`
        SELECT id, status, documents FROM bookings
         WHERE status = 'ticketed' AND (json_array_length(documents) <> 1 OR order_task IS NOT NULL)`);
      expect(unfinished).toEqual([]);
    });
    // Otherwise the deaths came too early to show anything.
    expect(attempts.filter(({ answer }) => answer?.ok).length).toBeGreaterThan(30);
  });
});
