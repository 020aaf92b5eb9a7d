import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { expireOverdueRecharges } from '../../src/domain/recharges/ending.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import type { Caller } from './ledgerDoors.ts';
import { LedgerDoors } from './ledgerDoors.ts';

describeEngines('the worker', (engine) => {
  let server: TestServer;
  let doors: LedgerDoors;

  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { PIX_VALIDITY: '400ms' } });
    doors = new LedgerDoors(server);
  });
  afterAll(() => server?.close());

  const newRecharge = async (caller: Caller, method = 'pix') =>
    (await doors.create('rest', caller, '100.00', method, randomUUID())).value.id as string;

  const becomesExpired = (caller: Caller, id: string) =>
    eventually(async () => (await doors.read('rest', caller, id)).value.status === 'expired');

  it('expires what is overdue, with its event, and leaves what is not', async () => {
    const team = await server.createTeam();
    const caller: Caller = { mode: 'live', key: team.live };
    const sandbox: Caller = { mode: 'test', key: team.test };
    const [id, inSandbox, boleto] = await Promise.all([
      newRecharge(caller),
      newRecharge(sandbox),
      newRecharge(caller, 'boleto'),
    ]);
    await Promise.all([becomesExpired(caller, id), becomesExpired(sandbox, inSandbox)]);
    expect((await doors.read('rest', caller, boleto)).value.status).toBe('pending');
    const events = await server.query(
      `SELECT type, data #>> '{object,status}' AS status, data #>> '{previous_attributes,status}' AS previous
         FROM events WHERE subject_id = $1 ORDER BY sequence`,
      [id],
    );
    expect(events).toEqual([
      { type: 'wallet.recharge.pending', status: 'pending', previous: null },
      { type: 'wallet.recharge.expired', status: 'expired', previous: 'pending' },
    ]);
  });

  it('leaves what is overdue to a later sweep once the process stops', async () => {
    const team = await server.createTeam();
    const caller: Caller = { mode: 'live', key: team.live };
    const ids = await Promise.all([newRecharge(caller), newRecharge(caller, 'boleto')]);
    const { platform } = server.running.gateway;
    const later = new Date(platform.clock.now().getTime() + 365 * 24 * 3_600_000);
    const ahead = { ...platform, clock: { ...platform.clock, now: () => later } };
    expect(await expireOverdueRecharges(ahead, AbortSignal.abort())).toBe(0);
    const [stopping, signals] = [new AbortController(), Object.create(platform.signals)];
    // The first that ends is told of.
    signals.publish = () => stopping.abort();
    const others = await Promise.all([newRecharge(caller, 'boleto'), newRecharge(caller, 'boleto')]);
    expect(await expireOverdueRecharges({ ...ahead, signals }, stopping.signal)).toBe(1);
    const boletos = [ids[1], ...others];
    const statuses = async () =>
      (await Promise.all(boletos.map((id) => doors.read('rest', caller, id)))).map(
        ({ value }) => value.status,
      );
    // The PIX has ended at the server's own sweep or, being due first, at that which was stopped after one.
    expect((await statuses()).filter((status) => status === 'pending').length).toBeGreaterThan(1);
    await expireOverdueRecharges(ahead);
    expect(await statuses()).toEqual(Array(3).fill('expired'));
  });

  it('expires the others when one cannot be', async () => {
    const [broken, sound] = await Promise.all([server.createTeam(), server.createTeam()]);
    const stuck = await newRecharge({ mode: 'live', key: broken.live }, 'boleto');
    const countRequested = async (cents: number) => {
      await server.query(
        `UPDATE recharge_days SET requested_cents = $2
          WHERE wallet_id = (SELECT wallet_id FROM recharges WHERE id = $1)`,
        [stuck, cents],
      );
    };
    // Its day cannot give back what it does not count; other tests sweep as well.
    onTestFinished(() => countRequested(100_00));
    await countRequested(0);
    // Overdue not before: a sweep that came in between would expire it.
    await server.query('UPDATE recharges SET expires_at = created_at WHERE id = $1', [stuck]);
    const caller: Caller = { mode: 'live', key: sound.live };
    await becomesExpired(caller, await newRecharge(caller));
    expect((await doors.read('rest', { mode: 'live', key: broken.live }, stuck)).value.status).toBe(
      'pending',
    );
    const line = await eventually(() =>
      server.logLines.find((logged) => logged.includes('recharges did not expire')),
    );
    expect(line).toContain('recharge_days_requested_cents_check');
    // The rows that could not be written are anyone's: a booking's has the names of people.
    expect(line).not.toContain('Failing row');
  });
});
