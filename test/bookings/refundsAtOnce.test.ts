import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyTransition } from '../../src/domain/bookings/change.ts';
import { refundRest } from '../../src/domain/bookings/restRefund.ts';
import { inTransaction } from '../../src/infrastructure/database/transaction.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { fundedTeam, writeBooking } from './writtenBookings.ts';

/** Only a server has several sessions that can give back at the same moment. */
describeSeveralSessions('The rest of a refund', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server?.close());

  it('is given back by one of two who ask while neither is done', async () => {
    const { platform } = server.running.gateway;
    const { live: walletId, key } = await fundedTeam(server);
    const { id } = (await writeBooking(server, walletId, { amountCents: 400_00 }))!;
    await applyTransition('cancel', { id, walletId }, { refundCents: 350_00n }, platform);

    let unlock: () => void = () => undefined;
    const unlocking = new Promise<void>((resolve) => {
      unlock = resolve;
    });
    let isLocked = false;
    const lock = inTransaction(platform.sequelize, async () => {
      await server.query('SELECT FROM wallets WHERE id = $1 FOR UPDATE', [walletId]);
      isLocked = true;
      await unlocking;
    });
    await eventually(() => isLocked);
    const refunds = Promise.all([
      refundRest({ id, walletId }, platform),
      refundRest({ id, walletId }, platform),
    ]);
    await eventually(async () => (await lockWaits(server)) === 2);
    unlock();
    await lock;
    expect((await refunds).sort()).toEqual([false, true]);
    const { body } = await server.rest('GET', '/api/v1/wallet/balance', { key });
    expect(body.data.balance).toBe('1000.00');
  });
});
