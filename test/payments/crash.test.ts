import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer, Caller, Door } from '../domain/ledgerDoors.ts';
import { LedgerDoors } from '../domain/ledgerDoors.ts';
import type { Build, BuiltServer } from '../harness/builtServer.ts';
import { allocateStore, buildServer } from '../harness/builtServer.ts';
import { graphqlDoor, restRequest } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { lookAtDead, workAndDie } from '../harness/killedServer.ts';

const rounds = 2;
/** With twice the least there are far more paid recharges than the test asks for at its end. */
const work = { clients: 12, least: 80, most: 219 };

/** A recharge that was asked for, and what its client was told before the server died. */
interface Attempt {
  key: string;
  door: Door;
  caller: Caller;
  amount: string;
  created: Answer | null;
  /** The latest state that was acknowledged. */
  acknowledged: 'pending' | 'completed' | 'cancelled' | null;
}

interface StoredRecharge {
  id: string;
  status: string;
  key: string | null;
  repeated: number;
}

const chance = (share: number) => Math.random() < share;

let build: Build;
beforeAll(async () => {
  build = await buildServer();
});
afterAll(() => build?.remove());

describeEngines('kill -9 while recharges are made', (engine) => {
  let store: Awaited<ReturnType<typeof allocateStore>>;
  const attempts: Attempt[] = [];

  beforeAll(async () => {
    store = await allocateStore(engine);
  });
  afterAll(() => store?.release());

  const doorsOf = ({ url }: BuiltServer) =>
    new LedgerDoors({
      rest: (method, path, options) => restRequest(url, method, path, options),
      graphql: (query, variables, key, headers) => graphqlDoor(url, query, variables, key, headers),
    });

  const request = (doors: LedgerDoors, { door, caller, amount, key }: Attempt) =>
    doors.create(door, caller, amount, 'pix', key);

  /** What clients do: a recharge, perhaps asked for twice, mostly paid, sometimes withdrawn. */
  async function act(doors: LedgerDoors, acknowledge: () => void): Promise<void> {
    const mode = chance(0.5) ? 'live' : 'test';
    const attempt: Attempt = {
      key: `attempt ${attempts.length}`,
      door: chance(0.5) ? 'rest' : 'graphql',
      caller: { mode, key: store.keys[mode] },
      amount: `1${attempts.length % 10}${attempts.length % 7}.00`,
      created: null,
      acknowledged: null,
    };
    attempts.push(attempt);
    const copies = Array.from({ length: chance(0.2) ? 2 : 1 }, async () => {
      attempt.created = await request(doors, attempt);
      acknowledge();
    });
    await Promise.all(copies);
    const id = attempt.created?.value?.id;
    if (!id) return;
    attempt.acknowledged = 'pending';
    if (chance(0.2)) return;
    const ending = chance(0.15) ? 'cancelled' : 'completed';
    const answer = await (ending === 'cancelled'
      ? doors.cancel(attempt.caller, id)
      : doors.pay(attempt.door, attempt.caller, id, null));
    expect(answer.value?.status).toBe(ending);
    attempt.acknowledged = ending;
    acknowledge();
  }

  /** What the rows say after the death. */
  const checkRows = () =>
    lookAtDead(store.environment, async (query) => {
      const stored: StoredRecharge[] = await query(`
        SELECT r.id, r.status, k.key,
               (SELECT count(*)::int FROM (SELECT 1 FROM events WHERE subject_id = r.id GROUP BY type
                                           HAVING count(*) > 1) e) AS repeated
          FROM recharges r LEFT JOIN idempotency_keys k ON k.outcome::json #>> '{value,id}' = r.id`);
      compare(stored);
      const keys: { key: string; value: boolean }[] = await query(
        `SELECT key, outcome::json -> 'value' IS NOT NULL AS value FROM idempotency_keys`,
      );
      expect(keys.filter(({ value }) => value)).toHaveLength(stored.length);
    });

  /** Each recharge belongs to the one attempt whose key was stored with it, and nothing acknowledged is missing. */
  function compare(stored: StoredRecharge[]): void {
    expect(stored.filter(({ key, repeated }) => key === null || repeated > 0)).toEqual([]);
    expect(new Set(stored.map(({ key }) => key)).size).toBe(stored.length);
    const byKey = new Map(stored.map((recharge) => [recharge.key, recharge]));
    for (const { key, created, acknowledged } of attempts) {
      const recharge = byKey.get(key);
      if (created?.value) expect(recharge?.id).toBe(created.value.id);
      if (created?.refusal) expect(recharge).toBeUndefined();
      if (acknowledged === 'pending') expect(recharge?.status).toMatch(/pending|completed|cancelled/);
      else if (acknowledged) expect(recharge?.status).toBe(acknowledged);
    }
  }

  /** Asks for everything again, with the same keys. */
  async function replayAll(server: BuiltServer): Promise<void> {
    const doors = doorsOf(server);
    const queue = [...attempts];
    const replay = async () => {
      for (let attempt = queue.pop(); attempt; attempt = queue.pop()) {
        const { created, caller, door, acknowledged } = attempt;
        const again = await request(doors, attempt);
        if (created) {
          expect({ text: again.text, replayed: again.replayed }).toEqual({
            text: created.text,
            replayed: true,
          });
        }
        attempt.created = again;
        if (!again.value) continue;
        const { value } = await doors.read(door, caller, again.value.id);
        if (acknowledged === 'completed' || acknowledged === 'cancelled')
          expect(value.status).toBe(acknowledged);
        expect(value.transaction_id === undefined || value.transaction_id === null).toBe(
          value.status !== 'completed',
        );
      }
    };
    await Promise.all(Array.from({ length: work.clients }, replay));
  }

  it('loses nothing that was acknowledged and leaves nothing half-done', async () => {
    for (let round = 1; round <= rounds; round += 1) {
      const server = await build.start(store.environment);
      await workAndDie(server, work, (acknowledge) => act(doorsOf(server), acknowledge));
      await checkRows();
    }
    const survivor = await build.start(store.environment);
    await replayAll(survivor);
    expect(await survivor.stop()).toBe(0);
    await checkRows();
    const { code, stdout, stderr } = await build.verifyLedger(store.environment);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/The ledger is sound: \d+ invariants hold\.\n$/);
    // Otherwise the deaths came too early to show anything.
    const acknowledged = attempts.filter((attempt) => attempt.acknowledged === 'completed');
    expect(acknowledged.length).toBeGreaterThan(20);
  });
});
