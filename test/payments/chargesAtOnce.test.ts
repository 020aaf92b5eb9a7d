import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pixOf } from '../doors/door.ts';
import { restDoor } from '../doors/restDoor.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { Bank } from './bank.ts';

/** Only a server has other sessions that can hold the note of a charge; the embedded store has one. */
describeSeveralSessions('a charge that another process is about to cancel', (engine) => {
  const bank = new Bank();
  let server: TestServer;
  let other: pg.Client;
  beforeAll(async () => {
    server = await startTestServer(engine, { paymentProvider: bank });
    other = await server.openSession();
  });
  afterAll(() => server?.close());

  it('is no recharge’s, or a client would pay what cannot be paid', async () => {
    const door = restDoor(() => server);
    const { live } = await server.createTeam();
    let id = '';
    bank.charges = async ({ rechargeId }) => {
      id = rechargeId;
      await other.query('BEGIN');
      await other.query('UPDATE unwritten_charges SET times_cancelled = 1 WHERE recharge_id = $1', [id]);
      return { method: 'pix', pixCopyPaste: 'code' };
    };
    const request = door.createRecharge(live, pixOf('100.00'));
    await eventually(async () => (await lockWaits(server)) === 1);
    await other.query('COMMIT');
    expect(await request).toMatchObject({ error: { details: { type: 'provider_unavailable' } } });
    expect((await door.getRecharge(live, id)).ok).toBe(false);
  });
});
