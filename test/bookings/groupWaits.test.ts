import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BookingRow } from '../../src/domain/bookings/booking.ts';
import { applyTransition } from '../../src/domain/bookings/change.ts';
import { postBooking } from '../../src/domain/bookings/posting.ts';
import { inTransaction } from '../../src/infrastructure/database/transaction.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import { lockWaits, longLockWaits } from '../harness/lockWaits.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { Groups } from './groupPostings.ts';
import { bookingOf, fundedTeam, writeBooking } from './writtenBookings.ts';

describeSeveralSessions('A group of bookings', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    // No worker: nobody asks suppliers for bookings that have no offer.
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server?.close());

  const groups = new Groups(() => server);

  const fundedWallet = async () => (await fundedTeam(server)).live;

  /** The first is written alone and at once; those behind it are a group. */
  async function begin(amountCents: number, ...walletIds: number[]) {
    const bookings = await Promise.all(walletIds.map((id) => bookingOf(server, id, { amountCents })));
    const { platform } = server.running.gateway;
    return { posted: Promise.all(bookings.map((booking) => postBooking(booking, null, platform))) };
  }

  /** Keeps a wallet from everybody else until it commits. */
  async function holderOf(walletId: number) {
    const holder = await server.openSession();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM wallets WHERE id = $1 FOR UPDATE', [walletId]);
    return holder;
  }

  groups.it('that waits for its wallet spends what came free meanwhile, and not what was spent', async () => {
    const { platform } = server.running.gateway;
    const { sequelize } = platform;
    const [walletId, other] = [await fundedWallet(), await fundedWallet()];
    const paid = (await writeBooking(server, walletId, { amountCents: 100_00 }))!;
    const hold = (await writeBooking(server, walletId, { type: 'hold', amountCents: 900_00 }))!;
    let commit: () => void = () => undefined;
    const committing = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let isGivenBack = false;
    const givingBack = inTransaction(sequelize, async () => {
      await applyTransition('withdraw', { id: hold.id, walletId }, {}, platform);
      await applyTransition('giveUp', { id: paid.id, walletId }, {}, platform);
      await writeBooking(server, walletId, { amountCents: 100_00 });
      isGivenBack = true;
      await committing;
    });
    await eventually(() => isGivenBack);

    const { posted } = await begin(450_00, other, walletId, walletId);
    await eventually(async () => (await lockWaits(server)) > 0);
    commit();
    await Promise.all([givingBack, posted]);

    const [wallet] = await server.query<object>(
      'SELECT balance_cents, held_cents FROM wallets WHERE id = $1',
      [walletId],
    );
    expect(wallet).toEqual({ balance_cents: '0', held_cents: '0' });
    expect(await ledgerBreaks(sequelize)).toEqual([]);
    expect(groups.failed()).toEqual([]);
    // What was given back, and the group.
    expect(await groups.sizes(walletId)).toEqual([3, 2]);
  });

  it('that waits for its first wallet has locked none of the others', async () => {
    // Who takes them as they are stored comes to the last one first.
    const funded: number[] = [];
    let pair: { first: number; last: number } | undefined;
    while (!pair) {
      funded.push(await fundedWallet());
      [pair] = await server.query<{ first: number; last: number }>(
        `SELECT f.id AS first, l.id AS last FROM wallets f JOIN wallets l ON l.id > f.id AND l.ctid < f.ctid
          WHERE f.id = ANY ($1) AND l.id = ANY ($1)`,
        [funded],
      );
    }
    const { first, last } = pair;
    const other = await fundedWallet();
    // Of a table that is known to be small no index is asked.
    await server.query('ANALYZE wallets');
    const holder = await holderOf(first);
    const { posted } = await begin(100_00, other, last, first);
    await eventually(async () => (await lockWaits(server)) === 1);
    await holder.query('SELECT FROM wallets WHERE id = $1 FOR UPDATE NOWAIT', [last]);
    await holder.query('COMMIT');
    await posted;
    const wallets = await server.query<object>(
      'SELECT balance_cents FROM wallets WHERE id = ANY ($1) ORDER BY id',
      [[first, last, other]],
    );
    expect(wallets).toEqual(Array(3).fill({ balance_cents: '90000' }));
  });

  it('that waits for long holds up nobody behind it', async () => {
    const { platform } = server.running.gateway;
    const [locked, free] = [await fundedWallet(), await fundedWallet()];
    const saidBefore = server.logLines.length;
    let unlock: () => void = () => undefined;
    const unlocking = new Promise<void>((resolve) => {
      unlock = resolve;
    });
    let isLocked = false;
    const lock = inTransaction(platform.sequelize, async () => {
      await server.query('SELECT FROM wallets WHERE id = $1 FOR UPDATE', [locked]);
      isLocked = true;
      await unlocking;
    });
    await eventually(() => isLocked);
    const post = async (walletId: number) =>
      postBooking(await bookingOf(server, walletId, { amountCents: 100_00 }), null, platform);
    const waiting = Promise.all([post(locked), post(locked), post(locked)]);
    await Promise.all([post(free), post(free)]);
    unlock();
    await Promise.all([lock, waiting]);
    const warned = server.logLines
      .slice(saidBefore)
      .filter((line) => line.includes('not written together') && JSON.parse(line).level === 40);
    expect(warned).not.toEqual([]);
    const [wallet] = await server.query<object>('SELECT balance_cents FROM wallets WHERE id = $1', [locked]);
    expect(wallet).toEqual({ balance_cents: '70000' });
  });

  it('in which one waits for long is given up for the others, who do not wait as long as a client', async () => {
    const [other, locked, free] = [await fundedWallet(), await fundedWallet(), await fundedWallet()];
    const holder = await holderOf(locked);
    const { posted } = await begin(100_00, other, locked, free);
    let longWaits = 0;
    await eventually(async () => {
      longWaits += await longLockWaits(server);
      return (await server.query('SELECT FROM bookings WHERE wallet_id = $1', [free])).length === 1;
    });
    expect(longWaits).toBe(0);
    await holder.query('COMMIT');
    await posted;
  });
});

describeSeveralSessions('Bookings that wait together for a connection', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    const settings = { ROLES: 'api', DATABASE_POOL_SIZE: '2', DATABASE_POOL_TIMEOUT: '300ms' };
    server = await startTestServer(engine, { settings });
  });
  afterAll(() => server?.close());

  it('are refused when none has come for as long as anyone should wait, and wait for no other', async () => {
    const { platform } = server.running.gateway;
    const { sequelize } = platform;
    const { live } = await fundedTeam(server);
    const bookings: BookingRow[] = [];
    for (let count = 0; count < 6; count += 1)
      bookings.push(await bookingOf(server, live, { amountCents: 10_00 }));
    const { connectionManager } = sequelize;
    const held = await Promise.all([1, 2].map(() => connectionManager.getConnection({ type: 'write' })));
    let asked = 0;
    // Others ask now and then what the server does by itself.
    const ours = new AsyncLocalStorage<boolean>();
    sequelize.addHook('beforePoolAcquire', 'counting', () => {
      if (ours.getStore()) asked += 1;
    });
    const outcomes = await ours.run(true, () =>
      Promise.allSettled(bookings.map((booking) => postBooking(booking, null, platform))),
    );
    sequelize.removeHook('beforePoolAcquire', 'counting');
    for (const connection of held) connectionManager.releaseConnection(connection);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(6).fill('rejected'));
    // The first alone, and the others together.
    expect(asked).toBe(2);
    await postBooking(await bookingOf(server, live, { amountCents: 10_00 }), null, platform);
  });
});
