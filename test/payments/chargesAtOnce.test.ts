import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { boletoOf, dailyLimitExceeded, dataOf, describeDoors, expectRefusal, pixOf } from '../doors/door.ts';
import { restDoor } from '../doors/restDoor.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { countOf } from '../harness/metricSamples.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { minuteMs } from '../harness/testClock.ts';
import { Bank } from './bank.ts';
import { isNoted } from './bankSteps.ts';
import { twoLooks } from './chargeCancellations.ts';

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

const askedTwice = new Bank();

/** It is not cut off while it waits for the second of them, however late that comes. */
describeDoors(
  'the payment provider',
  (stage) => {
    beforeEach(() => askedTwice.reset());

    const cancelled = (...ids: string[]) =>
      askedTwice.cancelled.filter(({ rechargeId }) => ids.includes(rechargeId));

    it('is asked to cancel the charge of a recharge that could not be written, and of no other', async () => {
      const { live } = await stage.server.createTeam();
      dataOf(await stage.door.createRecharge(live, boletoOf('50000.00')));
      const made: string[] = [];
      const bothMade: (() => void)[] = [];
      askedTwice.charges = async ({ rechargeId }) => {
        made.push(rechargeId);
        // Each fits into what is left of the day, and both do not.
        await new Promise<void>((resolve) => {
          bothMade.push(resolve);
          if (bothMade.length === 2) for (const go of bothMade) go();
        });
        return { method: 'pix', pixCopyPaste: 'code' };
      };
      const request = () => stage.door.createRecharge(live, pixOf('30000.00'));
      const outcomes = await Promise.all([request(), request()]);
      const refused = outcomes.filter(({ ok }) => !ok);
      expect(refused).toHaveLength(1);
      expectRefusal(refused[0]!, dailyLimitExceeded);
      const written = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.data.id as string] : []));
      const [orphan = ''] = made.filter((id) => !written.includes(id));
      expect(await isNoted(stage, written[0]!)).toBe(false);
      stage.clock.advance(2 * minuteMs);
      await eventually(() => cancelled(orphan).length === 1);
      await twoLooks(stage);
      expect(cancelled(...written)).toEqual([]);
    });

    it('is asked to cancel a charge that no recharge is written for afterwards', async () => {
      const { live } = await stage.server.createTeam();
      let made = '';
      askedTwice.cancels = () => Promise.reject(new Error('503'));
      askedTwice.charges = async ({ rechargeId }) => {
        made = rechargeId;
        stage.clock.advance(2 * minuteMs);
        await eventually(() => cancelled(rechargeId).length === 1);
        return { method: 'pix', pixCopyPaste: 'code' };
      };
      const refused = await stage.door.createRecharge(live, pixOf('100.00'));
      expect(refused).toMatchObject({ error: { details: { type: 'provider_unavailable' } } });
      expect((await stage.door.getRecharge(live, made)).ok).toBe(false);
    });

    it('is asked in one look to cancel all charges that are due, however many they are', async () => {
      const ids = Array.from({ length: 60 }, (_, index) => `rch_${stage.clock.now().getTime()}_${index}`);
      const looks = () =>
        countOf(stage.server.url, 'embarque_sweeps_total{sweeper="charge-cancellation",outcome="done"}');
      const looksBefore: number[] = [];
      askedTwice.cancels = async ({ rechargeId }) => {
        if (ids.includes(rechargeId)) looksBefore.push(await looks());
      };
      await stage.server.query(
        `INSERT INTO unwritten_charges (recharge_id, provider, mode, asked_at, cancel_at)
         SELECT unnest($1::text[]), 'bank', 'live', $2, $2`,
        [ids, stage.clock.now()],
      );
      await eventually(() => looksBefore.length === ids.length);
      expect(new Set(looksBefore).size).toBe(1);
      expect(cancelled(...ids)).toHaveLength(ids.length);
    });
  },
  { paymentProvider: askedTwice, inPairs: true },
);
