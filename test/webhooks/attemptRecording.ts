import { ConnectionRefusedError } from 'sequelize';
import { expect, it } from 'vitest';
import type { Platform } from '../../src/domain/platform.ts';
import { AttemptRecorder } from '../../src/domain/webhooks/attemptRecording.ts';
import { claimDeliveries, releaseLease } from '../../src/domain/webhooks/claim.ts';
import { KeptAttempts } from '../../src/domain/webhooks/keptAttempts.ts';
import { eventually } from '../harness/client.ts';
import { handConnections, meetNextStatement } from '../harness/handedConnections.ts';
import { deliveryLogOf } from './deliveryLog.ts';
import type { WorkerStage } from './workerStage.ts';
import { delivered, failed, free } from './workerStage.ts';

/** The next so many connections for writing are refused. */
function refuseConnections({ sequelize }: Platform, count: number): void {
  let left = count;
  const stop = handConnections(sequelize, (connect, isForWriting) => {
    if (!isForWriting) return connect();
    left -= 1;
    if (left === 0) stop();
    return Promise.reject(new ConnectionRefusedError(new Error('connect ECONNREFUSED')));
  });
}

/**
 * The next statement that writes is committed, and its connection breaks before anyone hears of that.
 * @param lost is called then.
 */
function loseNextAnswer({ sequelize }: Platform, lost = () => {}): void {
  const stop = handConnections(sequelize, async (connect, isForWriting) => {
    const connection = await connect();
    if (!isForWriting) return connection;
    stop();
    meetNextStatement(connection, (asked) => {
      const { callback } = asked;
      asked.callback = (error) => {
        lost();
        callback(error ?? new Error('Connection terminated unexpectedly'), []);
      };
    });
    return connection;
  });
}

/** What is kept of attempts to make them, as part of what is told of deliveries that a worker has taken. */
export function describeRecording(stage: WorkerStage): void {
  const { record } = stage;

  it('tell the last one’s time, though one that was made before it is recorded after it', async () => {
    const { platform } = stage.world.server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, '/recorded-late');
    for (const _ of [delivered, delivered]) await stage.world.happens(tenant);
    const [one, other] = await claimDeliveries('token', { webhookIds: [id] }, free, platform);
    await record(one, 'token', delivered);
    const { last_triggered_at: triggeredAt } = await stage.world.webhook(key, id);
    await record(other, 'token', delivered, -5_000);
    expect(await stage.world.webhook(key, id)).toMatchObject({
      last_triggered_at: triggeredAt,
      total_deliveries: 2,
    });
  });

  it('are logged once when their recording is committed and its answer is lost', async () => {
    const { platform } = stage.world.server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, '/lost-answer');
    for (const _ of [delivered, failed]) await stage.world.happens(tenant);
    const claimed = await claimDeliveries('token', { webhookIds: [id] }, free, platform);
    loseNextAnswer(platform);
    const startedAt = platform.clock.now();
    const log = new AttemptRecorder(`worker of ${id}`, platform);
    await Promise.all(
      claimed.map((delivery, index) =>
        log.record({
          delivery,
          token: 'token',
          outcome: index === 0 ? delivered : failed,
          startedAt,
          endedAt: startedAt,
        }),
      ),
    );
    expect(await stage.world.webhook(key, id)).toMatchObject({ total_deliveries: 2, failed_deliveries: 1 });
    expect((await stage.world.deliveries(id)).map(({ reasons }) => reasons).sort()).toEqual([
      ['http_status'],
      ['ok'],
    ]);
  });

  it('are logged once also when it was one alone, which is recorded again', async () => {
    const { platform } = stage.world.server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, '/lost-answer-of-one');
    await stage.world.happens(tenant);
    const [delivery] = await claimDeliveries('token', { webhookIds: [id] }, free, platform);
    loseNextAnswer(platform);
    const endedAt = platform.clock.now();
    const attempt = { delivery: delivery!, token: 'token', outcome: failed, startedAt: endedAt, endedAt };
    await new KeptAttempts(`worker of ${id}`, platform).record(attempt);
    expect(await stage.world.webhook(key, id)).toMatchObject({ total_deliveries: 1, failed_deliveries: 1 });
    expect((await stage.world.deliveries(id)).map(({ reasons }) => reasons)).toEqual([['http_status']]);
  });

  it('are logged once also when no connection comes for those of a statement whose answer was lost', async () => {
    const { platform } = stage.world.server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, '/lost-answer-and-connection');
    for (const _ of [delivered, failed]) await stage.world.happens(tenant);
    const claimed = await claimDeliveries('token', { webhookIds: [id] }, free, platform);
    const endedAt = platform.clock.now();
    const attempts = claimed.map((delivery) => ({
      delivery,
      token: 'token',
      outcome: failed,
      startedAt: endedAt,
      endedAt,
    }));
    const log = new AttemptRecorder(`worker of ${id}`, platform);
    const recordAll = () => Promise.allSettled(attempts.map((attempt) => log.record(attempt)));
    loseNextAnswer(platform, () => refuseConnections(platform, attempts.length));
    expect((await recordAll()).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await recordAll()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await stage.world.webhook(key, id)).toMatchObject({ total_deliveries: 2, failed_deliveries: 2 });
    expect((await stage.world.deliveries(id)).map(({ reasons }) => reasons)).toEqual([
      ['http_status'],
      ['http_status'],
    ]);
  });

  it('are given up with what the database said when their worker stops, and recorded again until then', async () => {
    const { server } = stage.world;
    const { platform } = server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, '/kept');
    for (const _ of [failed, failed]) await stage.world.happens(tenant);
    const claimed = await claimDeliveries('token', { webhookIds: [id] }, free, platform);
    const [first, second] = claimed.map((delivery) => {
      const endedAt = platform.clock.now();
      return { delivery, token: 'token', outcome: failed, startedAt: endedAt, endedAt };
    });
    const lines: string[] = [];
    const log = Object.create(platform.log, {
      error: { value: (_fields: object, line: string) => lines.push(line) },
      info: { value: (_fields: object, line: string) => lines.push(line) },
    });
    const kept = new KeptAttempts(`worker of ${id}`, { ...platform, log });
    const [lost, back] = [
      'webhook attempts not recorded; trying again',
      'webhook attempts are recorded again',
    ];
    refuseConnections(platform, 2);
    await kept.record(first!);
    expect(lines).toEqual([lost, back]);
    const stop = handConnections(platform.sequelize, () =>
      Promise.reject(new ConnectionRefusedError(new Error('connect ECONNREFUSED'))),
    );
    try {
      const recording = kept.record(second!);
      const refused = expect(recording).rejects.toThrow('connect ECONNREFUSED');
      await eventually(() => lines.length === 3);
      kept.stop();
      await refused;
      const stopped = new KeptAttempts(`another of ${id}`, { ...platform, log });
      stopped.stop();
      await expect(stopped.record(second!)).rejects.toThrow('connect ECONNREFUSED');
    } finally {
      stop();
    }
    expect(lines).toEqual([lost, back, lost]);
  });

  it('are logged by who has lost them, also when no connection came for that at first', async () => {
    const { platform } = stage.world.server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, '/lost-and-refused');
    await stage.world.happens(tenant);
    const [delivery] = await claimDeliveries('lost', { webhookIds: [id] }, free, platform);
    await releaseLease({ id: delivery!.id, token: 'lost' }, platform.clock.now(), platform);
    expect(await claimDeliveries('held', { webhookIds: [id] }, free, platform)).toHaveLength(1);
    refuseConnections(platform, 1);
    const endedAt = platform.clock.now();
    const attempt = { delivery: delivery!, token: 'lost', outcome: delivered, startedAt: endedAt, endedAt };
    await new KeptAttempts(`worker of ${id}`, platform).record(attempt);
    expect(await stage.world.webhook(key, id)).toMatchObject({ total_deliveries: 1, failed_deliveries: 0 });
    expect(await stage.world.deliveries(id)).toMatchObject([{ status: 'delivered', reasons: ['ok'] }]);
  });

  it('are logged and counted for each time that they were sent, also when both attempts end at once', async () => {
    const { platform } = stage.world.server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, '/taken-twice');
    await stage.world.happens(tenant);
    const [first] = await claimDeliveries('lost', { webhookIds: [id] }, free, platform);
    await releaseLease({ id: first!.id, token: 'lost' }, platform.clock.now(), platform);
    const [second] = await claimDeliveries('held', { webhookIds: [id] }, free, platform);
    const startedAt = platform.clock.now();
    const log = new AttemptRecorder(`worker of ${id}`, platform);
    await Promise.all([
      log.record({ delivery: first!, token: 'lost', outcome: failed, startedAt, endedAt: startedAt }),
      log.record({ delivery: second!, token: 'held', outcome: delivered, startedAt, endedAt: startedAt }),
    ]);
    expect(await stage.world.webhook(key, id)).toMatchObject({ total_deliveries: 2, failed_deliveries: 1 });
    const [delivery] = await stage.world.deliveries(id);
    expect(delivery?.status).toBe('delivered');
    expect([...(delivery?.reasons ?? [])].sort()).toEqual(['http_status', 'ok']);
  });

  it('stay with who has them now, when who had them before records its attempt', async () => {
    const { platform } = stage.world.server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, '/lost');
    await stage.world.happens(tenant);
    const claim = (token: string) => claimDeliveries(token, { webhookIds: [id] }, free, platform);
    const [first] = await claim('lost');
    await releaseLease({ id: first!.id, token: 'lost' }, platform.clock.now(), platform);
    const [second] = await claim('held');
    await record(first, 'lost', failed);
    expect(await claim('third')).toEqual([]);
    await record(second, 'held', failed);
    expect(await stage.world.deliveries(id)).toMatchObject([{ status: 'failed', attempt_count: 1 }]);
  });

  it('are of a delivery that stays delivered, when who had it before got through and who has it now does not', async () => {
    const { platform } = stage.world.server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const { read } = deliveryLogOf(() => stage.world);
    const id = await stage.world.register(key, '/got-through');
    const deliveryId = `${await stage.world.happens(tenant)}.${id}`;
    const claim = (token: string) => claimDeliveries(token, { webhookIds: [id] }, free, platform);
    const [first] = await claim('lost');
    await releaseLease({ id: first!.id, token: 'lost' }, platform.clock.now(), platform);
    const [second] = await claim('held');
    await record(first, 'lost', delivered);
    expect(await read('one', key, { id: deliveryId })).toMatchObject({
      status: 'delivered',
      lastStatusCode: 200,
      lastReason: 'ok',
    });
    await record(second, 'held', failed);
    expect(await stage.world.deliveries(id)).toMatchObject([
      { status: 'delivered', reasons: ['ok', 'http_status'] },
    ]);
    expect(await claim('third')).toEqual([]);
    expect(await stage.world.webhook(key, id)).toMatchObject({ active: true, failed_deliveries: 1 });
  });
}
