import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyTransition } from '../../src/domain/bookings/change.ts';
import { dropCancellation } from '../../src/domain/bookings/supplierOrders.ts';
import { inTransaction } from '../../src/infrastructure/database/transaction.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { fundedTeam, writeBooking } from './writtenBookings.ts';

/** Only a server has several sessions that can change a booking at the same moment. */
describeSeveralSessions('A booking that an operator settles while it is being confirmed', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server?.close());

  it.each([
    ['failBooking', '', 'failed', '1000.00'],
    ['cancelForCarrier', '', 'cancelled', '1000.00'],
    ['recordTickets', ', tickets: []', 'ticketed', '600.00'],
  ])('is settled as a confirmed one by %s', async (mutation, members, status, balance) => {
    const { platform } = server.running.gateway;
    const { live: walletId, key } = await fundedTeam(server);
    const { id } = (await writeBooking(server, walletId, { type: 'hold', amountCents: 400_00 }))!;

    let commit: () => void = () => undefined;
    const committing = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let isConfirmed = false;
    const confirmation = inTransaction(platform.sequelize, async () => {
      await applyTransition('confirm', { id, walletId }, {}, platform);
      isConfirmed = true;
      await committing;
    });
    await eventually(() => isConfirmed);
    const document = `mutation { settled: ${mutation}(bookingId: "${id}"${members}) { status } }`;
    const settling = server.graphql(document, null, server.keys.operator);
    await eventually(async () => (await lockWaits(server)) === 1);
    commit();
    await confirmation;
    expect((await settling).body).toMatchObject({ data: { settled: { status } } });
    const { body } = await server.rest('GET', '/api/v1/wallet/balance', { key });
    expect(body.data.balance).toBe(balance);
  });
});

describeSeveralSessions('A cancellation that two operators drop at once', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server?.close());

  it('is refused to the second with what the supplier is asked for by then', async () => {
    const { platform } = server.running.gateway;
    const { live: walletId, key } = await fundedTeam(server);
    const { id } = (await writeBooking(server, walletId, { type: 'instant', amountCents: 400_00 }))!;
    await server.rest('POST', `/api/v1/bookings/${id}/cancel`, { key });

    let commit: () => void = () => undefined;
    const committing = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let isDropped = false;
    const first = inTransaction(platform.sequelize, async () => {
      const { task } = await dropCancellation(id, 'key_first', platform);
      isDropped = true;
      await committing;
      return task;
    });
    const document = `mutation { dropCancellation(bookingId: "${id}") { task } }`;
    let second: ReturnType<TestServer['graphql']>;
    try {
      await eventually(() => isDropped);
      second = server.graphql(document, null, server.keys.operator);
      await eventually(async () => (await lockWaits(server)) === 1);
    } finally {
      commit();
    }
    expect(await first).toBeNull();
    expect((await second).body.errors).toMatchObject([
      {
        message: 'No cancellation is waiting for the supplier',
        extensions: { details: { field: 'task', type: 'none' } },
      },
    ]);
  });
});
