import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { SharedConnections } from '../../src/infrastructure/database/sharedConnections.ts';
import { requestRecharge } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { restoreMachineClock, setMachineClock, suspendMachine } from '../harness/machineClock.ts';
import { sampleOf } from '../harness/metricSamples.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer, sweepingOften } from '../harness/server.ts';
import { sweptTwice } from '../harness/sweeps.ts';
import { hourMs, minuteMs, secondMs } from '../harness/testClock.ts';

/** What a clock may differ by, and half of the longest that an answer may take that is heeded. */
const promisedMs = 1.5 * secondMs;

/** Taken for an answer given halfway, one that comes so late is wrong by more than that. */
const lateMs = 4 * secondMs;

describeSeveralSessions('A process whose clock is not that of the database', (engine) => {
  let server: TestServer;
  let key = '';
  afterEach(async () => {
    restoreMachineClock();
    await server?.close();
  });

  const start = async () => {
    server = await startTestServer(engine, { settings: { ...sweepingOften, PIX_VALIDITY: '5m' } });
    ({ test: key } = await server.createTeam());
  };

  /** How long a new recharge can be paid, by the database's clock. */
  const validityMs = async () => {
    const id = await requestRecharge(server, key);
    const [row] = await server.query<{ ms: number }>(
      `SELECT (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::double precision AS ms
         FROM recharges WHERE id = $1`,
      [id],
    );
    return row?.ms ?? Number.NaN;
  };

  const databaseMs = async () => {
    const [row] = await server.query<{ ms: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS ms',
    );
    return row?.ms ?? Number.NaN;
  };

  /** Whether a new recharge is dated by the database's clock, as exactly as is promised. */
  const datesRightly = async () => {
    const earliestMs = await databaseMs();
    const id = await requestRecharge(server, key);
    const latestMs = await databaseMs();
    const { body } = await server.rest('GET', `/api/v1/wallet/recharge/${id}`, { key });
    const datedMs = Date.parse(body.data.created_at);
    return datedMs > earliestMs - promisedMs && datedMs < latestMs + promisedMs;
  };

  /** Lets the test set the database's clock, and has as many of those who compare theirs wait for the answer as it says. */
  const takeOverDatabaseClock = () =>
    server.running.gateway.platform.sequelize.query(`
      CREATE TABLE set_clock (ahead interval NOT NULL, late_answers integer NOT NULL, refuses boolean NOT NULL);
      INSERT INTO set_clock VALUES ('0', 0, false);
      CREATE SEQUENCE refused_askings;
      CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$
        DECLARE told timestamptz := pg_catalog.clock_timestamp() + (SELECT ahead FROM set_clock);
        BEGIN
          IF current_query() LIKE '%::bigint AS ms' THEN
            UPDATE set_clock SET late_answers = late_answers - 1 WHERE late_answers > 0;
            IF FOUND THEN PERFORM pg_sleep(${lateMs / secondMs}); END IF;
            IF (SELECT refuses FROM set_clock) THEN
              PERFORM nextval('refused_askings');
              RAISE EXCEPTION 'not now';
            END IF;
          END IF;
          RETURN told;
        END $$;
      DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database());
      END $$`);

  /** Has what the database says of the time from now on reach nobody before `letGo` is called. */
  const holdAnswers = () => {
    const reads = SharedConnections.of(server.running.gateway.platform.sequelize);
    const ask = reads.query.bind(reads);
    let letGo = (): void => undefined;
    const isLetGo = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const held = { answers: 0, letGo };
    const spy = vi.spyOn(reads, 'query').mockImplementation(async (query) => {
      const rows = await ask(query);
      if (query.name !== 'read_database_clock') return rows;
      held.answers += 1;
      await isLetGo;
      return rows;
    });
    onTestFinished(() => {
      letGo();
      spy.mockRestore();
    });
    return held;
  };

  const isFiveMinutes = (ms: number) => Math.abs(ms - 5 * minuteMs) < 30 * secondMs;

  const aheadSeconds = () => sampleOf(server.url, 'embarque_clock_ahead_seconds');

  const warnings = () => server.logLines.filter((line) => line.includes('"aheadMs"'));

  it.each([10 * minuteMs, -10 * minuteMs])('by %i ms goes by the database’s', async (aheadMs) => {
    setMachineClock(aheadMs);
    await start();
    expect(await validityMs()).toSatisfy(isFiveMinutes);
    expect(Math.round((await aheadSeconds()) / 60)).toBe(aheadMs / minuteMs);
    expect(warnings()).toHaveLength(1);
  });

  it.each([3 * secondMs, -3 * secondMs])('by as little as %i ms goes by the database’s', async (aheadMs) => {
    setMachineClock(aheadMs);
    await start();
    expect(await datesRightly()).toBe(true);
  });

  it('by less than is heeded tells of it all the same', async () => {
    setMachineClock(750);
    await start();
    // Of which the longest answer that is heeded may take half a second.
    expect(await aheadSeconds()).toBeGreaterThan(0.2);
  });

  it('and takes a step has the time at that moment, before it could ask', async () => {
    setMachineClock(10 * minuteMs);
    await start();
    const { clock } = server.running.gateway.platform;
    const beforeMs = clock.now().getTime();
    for (const aheadMs of [3 * hourMs, -3 * hourMs]) {
      setMachineClock(aheadMs);
      const passedMs = clock.now().getTime() - beforeMs;
      // Both are cut to whole milliseconds, of clocks that are.
      expect(passedMs).toBeGreaterThanOrEqual(-5);
      expect(passedMs).toBeLessThan(secondMs);
    }
  });

  it('for its machine was suspended, and that cannot be asked, has the time all the same', async () => {
    setMachineClock(10 * minuteMs);
    await start();
    await takeOverDatabaseClock();
    await server.restart();
    await server.query(`UPDATE set_clock SET refuses = true, ahead = '1 hour'`);
    suspendMachine(hourMs);
    expect(await datesRightly()).toBe(true);
  });

  it('for its machine was suspended while that answered, does not go by what it said before', async () => {
    await start();
    await takeOverDatabaseClock();
    await server.restart();
    const held = holdAnswers();
    // A step, for which it asks at once.
    suspendMachine(minuteMs);
    await server.query(`UPDATE set_clock SET ahead = '1 minute'`);
    server.running.gateway.platform.clock.now();
    await eventually(() => held.answers > 0);
    suspendMachine(hourMs);
    await server.query(`UPDATE set_clock SET ahead = '61 minutes'`);
    held.letGo();
    expect(await datesRightly()).toBe(true);
    expect(Math.abs(await aheadSeconds())).toBeLessThan(1);
  });

  it('any more, for that one took a step, goes by it soon', async () => {
    await start();
    await takeOverDatabaseClock();
    await server.restart();
    await server.query(`UPDATE set_clock SET ahead = '1 hour'`);
    expect(await eventually(datesRightly)).toBe(true);
  });

  it('any more, and that could not be asked for a while, is asked again', async () => {
    await start();
    await takeOverDatabaseClock();
    await server.restart();
    await server.query('UPDATE set_clock SET refuses = true');
    await eventually(async () => {
      const [row] = await server.query<{ is_called: boolean }>('SELECT is_called FROM refused_askings');
      return row?.is_called;
    });
    await server.query(`UPDATE set_clock SET refuses = false, ahead = '1 hour'`);
    expect(await eventually(datesRightly)).toBe(true);
  });

  it('asks again at its start when the answer came late, and heeds no late one', async () => {
    await start();
    await takeOverDatabaseClock();
    await server.query('UPDATE set_clock SET late_answers = 1');
    setMachineClock(-10 * minuteMs);
    await server.restart();
    expect(await server.query('SELECT late_answers FROM set_clock')).toEqual([{ late_answers: 0 }]);
    expect(await datesRightly()).toBe(true);
  });

  it('any more expires nothing before its time when it is set forward, and gives nothing more when it is set back', async () => {
    setMachineClock(0);
    await start();
    const id = await requestRecharge(server, key);
    for (const aheadMs of [3 * hourMs, -3 * hourMs, 0]) {
      setMachineClock(aheadMs);
      await sweptTwice(server.url, 'recharge-expiry');
      expect(await validityMs()).toSatisfy(isFiveMinutes);
      const seen = async () => Math.round((await aheadSeconds()) / 3_600);
      await eventually(async () => (await seen()) === aheadMs / hourMs);
      expect(await validityMs()).toSatisfy(isFiveMinutes);
    }
    const { body } = await server.rest('GET', `/api/v1/wallet/recharge/${id}`, { key });
    expect(body.data.status).toBe('pending');
    expect(warnings()).toHaveLength(2);
    expect(server.logLines.filter((line) => line.includes('agrees with that of the database'))).toHaveLength(
      1,
    );
  });

  it('about as much as is tolerated is gone by until it is clearly right, and says so once', async () => {
    setMachineClock(1_500);
    await start();
    const agreements = () =>
      server.logLines.filter((line) => line.includes('agrees with that of the database')).length;
    // As near the limit as may be: by half of what its answer takes, a slow database has a clock differ by less.
    for (const aheadMs of [990, 0]) {
      expect([warnings().length, agreements()]).toEqual([1, 0]);
      setMachineClock(aheadMs);
      const seen = async () => Math.abs((await aheadSeconds()) * secondMs - aheadMs);
      await eventually(async () => (await seen()) < 200);
    }
    expect([warnings().length, agreements()]).toEqual([1, 1]);
  });
});
