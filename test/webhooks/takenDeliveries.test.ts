import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { measureBacklog } from '../../src/domain/backlog.ts';
import type { Platform } from '../../src/domain/platform.ts';
import { AttemptRecorder } from '../../src/domain/webhooks/attemptRecording.ts';
import type { ClaimedDelivery } from '../../src/domain/webhooks/claim.ts';
import { claimDeliveries, nextDueAt, releaseLease, renewLeases } from '../../src/domain/webhooks/claim.ts';
import { KeptAttempts } from '../../src/domain/webhooks/keptAttempts.ts';
import { Shares } from '../../src/domain/webhooks/shares.ts';
import { skipInactive } from '../../src/domain/webhooks/skipping.ts';
import type { AttemptOutcome } from '../../src/infrastructure/webhooks/outcome.ts';
import { describeEngines } from '../harness/engines.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

const delivered: AttemptOutcome = {
  ok: true,
  statusCode: 200,
  reason: 'ok',
  detail: 'answered 200',
  durationMs: 1,
  responseExcerpt: '',
};
const failed: AttemptOutcome = {
  ...delivered,
  ok: false,
  statusCode: 500,
  reason: 'http_status',
  detail: 'answered 500',
};

const free = new Shares().allowances();

/** The next statement that writes is committed, and its connection breaks before anyone hears of that. */
function loseNextAnswer({ sequelize }: Platform): void {
  const manager = sequelize.connectionManager;
  const connect = manager.getConnection.bind(manager);
  const spy = vi.spyOn(manager, 'getConnection').mockImplementation(async (options) => {
    const client = (await connect(options)) as { query(query: unknown): unknown };
    if (options?.type !== 'write') return client;
    spy.mockRestore();
    const query = client.query.bind(client);
    client.query = (asked: { callback(error: unknown, rows: unknown[]): void }) => {
      client.query = query;
      const { callback } = asked;
      asked.callback = (error) => callback(error ?? new Error('Connection terminated unexpectedly'), []);
      return query(asked);
    };
    return client;
  });
}

describeEngines('deliveries that a worker has taken', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    // Nobody sends; the first attempt of each delivery is the last.
    world = await DeliveryWorld.open(engine, { settings: { ROLES: 'api', WEBHOOK_RETRY_DELAYS: '0s' } });
  });
  afterAll(() => world.close());

  /** Ends an attempt to make a delivery, right away or so much later. */
  const record = async (
    delivery: ClaimedDelivery | undefined,
    token: string,
    outcome: AttemptOutcome,
    ms = 0,
  ) => {
    const { platform } = world.server.running.gateway;
    const endedAt = new Date(platform.clock.now().getTime() + ms);
    const attempt = { delivery: delivery!, token, outcome, startedAt: endedAt, endedAt };
    await new AttemptRecorder(`worker ${token}`, platform).record(attempt);
  };

  it.each([
    ['recorded in one statement deactivate a webhook that nothing got through to', [failed, failed], false],
    [
      'recorded in one statement leave a webhook active that one of them got through to',
      [failed, delivered],
      true,
    ],
    ['recorded in one statement leave it active in whatever order they ended', [delivered, failed], true],
  ] as const)('%s', async (what, outcomes, active) => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, `/${what.split(' ').join('-')}`);
    for (const _ of outcomes) await world.happens(tenant);
    const claimed = await claimDeliveries('token', { webhookIds: [id] }, free, platform);
    const taken = claimed.sort((one, other) => Number(one.id) - Number(other.id));
    expect(taken).toHaveLength(outcomes.length);
    const startedAt = platform.clock.now();
    const log = new AttemptRecorder(`worker of ${id}`, platform);
    const recorded = await Promise.all(
      outcomes.map((outcome, index) => {
        const delivery = taken[index] as ClaimedDelivery;
        return log.record({ delivery, token: 'token', outcome, startedAt, endedAt: platform.clock.now() });
      }),
    );
    expect(await world.webhook(key, id)).toMatchObject({ active, total_deliveries: outcomes.length });
    expect(recorded.filter(({ deactivated }) => deactivated)).toHaveLength(active ? 0 : 1);
    expect((await world.deliveries(id)).map(({ status }) => status)).toEqual(
      outcomes.map(({ ok }) => (ok ? 'delivered' : 'failed')),
    );
  });

  it('are logged once when their recording is committed and its answer is lost', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/lost-answer');
    for (const _ of [delivered, failed]) await world.happens(tenant);
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
    expect(await world.webhook(key, id)).toMatchObject({ total_deliveries: 2, failed_deliveries: 1 });
    expect((await world.deliveries(id)).map(({ reasons }) => reasons).sort()).toEqual([
      ['http_status'],
      ['ok'],
    ]);
  });

  it('are logged once also when it was one alone, which is recorded again', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/lost-answer-of-one');
    await world.happens(tenant);
    const [delivery] = await claimDeliveries('token', { webhookIds: [id] }, free, platform);
    loseNextAnswer(platform);
    const endedAt = platform.clock.now();
    const attempt = { delivery: delivery!, token: 'token', outcome: failed, startedAt: endedAt, endedAt };
    await new KeptAttempts(`worker of ${id}`, platform).record(attempt);
    expect(await world.webhook(key, id)).toMatchObject({ total_deliveries: 1, failed_deliveries: 1 });
    expect((await world.deliveries(id)).map(({ reasons }) => reasons)).toEqual([['http_status']]);
  });

  it('are logged and counted for each time that they were sent, also when both attempts end at once', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/taken-twice');
    await world.happens(tenant);
    const [first] = await claimDeliveries('lost', { webhookIds: [id] }, free, platform);
    await releaseLease({ id: first!.id, token: 'lost' }, platform.clock.now(), platform);
    const [second] = await claimDeliveries('held', { webhookIds: [id] }, free, platform);
    const startedAt = platform.clock.now();
    const log = new AttemptRecorder(`worker of ${id}`, platform);
    await Promise.all([
      log.record({ delivery: first!, token: 'lost', outcome: failed, startedAt, endedAt: startedAt }),
      log.record({ delivery: second!, token: 'held', outcome: delivered, startedAt, endedAt: startedAt }),
    ]);
    expect(await world.webhook(key, id)).toMatchObject({ total_deliveries: 2, failed_deliveries: 1 });
    const [delivery] = await world.deliveries(id);
    expect(delivery?.status).toBe('delivered');
    expect([...(delivery?.reasons ?? [])].sort()).toEqual(['http_status', 'ok']);
  });

  it('stay with who has them now, when who had them before records its attempt', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/lost');
    await world.happens(tenant);
    const claim = (token: string) => claimDeliveries(token, { webhookIds: [id] }, free, platform);
    const [first] = await claim('lost');
    await releaseLease({ id: first!.id, token: 'lost' }, platform.clock.now(), platform);
    const [second] = await claim('held');
    await record(first, 'lost', failed);
    expect(await claim('third')).toEqual([]);
    await record(second, 'held', failed);
    expect(await world.deliveries(id)).toMatchObject([{ status: 'failed', attempt_count: 1 }]);
  });

  it('go by turns of wallets, counted on from what each has under way', async () => {
    const { platform } = world.server.running.gateway;
    const [busy, calm] = [await world.team(), await world.team()];
    const webhookIds = await Promise.all(['/one', '/two'].map((path) => world.register(busy.key, path)));
    for (let event = 0; event < 5; event += 1) await world.happens(busy.tenant);
    webhookIds.push(await world.register(calm.key, '/calm'));
    for (let event = 0; event < 3; event += 1) await world.happens(calm.tenant);
    const claim = async (token: string, limit: number, busyUnderWay: number) => {
      const underWay = {
        walletIds: [busy.tenant.walletId],
        trustedCounts: [0],
        untrustedCounts: [busyUnderWay],
      };
      const taken = await claimDeliveries(token, { webhookIds }, { ...free, ...underWay, limit }, platform);
      return taken.map((one) => (one.wallet_id === busy.tenant.walletId ? 'busy' : 'calm')).sort();
    };
    expect(await claim('first', 2, 0)).toEqual(['busy', 'calm']);
    expect(await claim('second', 1, 1)).toEqual(['calm']);
    expect(await claim('third', 10, 2)).toEqual([...Array(9).fill('busy'), 'calm']);
  });

  it.each([
    ['one wallet alone leaves a third of the slots', 9, 0, 6],
    ['what it has under way is counted', 5, 4, 2],
    ['nothing is taken beyond it', 3, 6, 0],
  ])('are as many as keep slots for other wallets: %s', async (_, untrustedLimit, underWay, expected) => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/alone');
    for (let event = 0; event < 9; event += 1) await world.happens(tenant);
    const counts = { walletIds: [tenant.walletId], trustedCounts: [0], untrustedCounts: [underWay] };
    const allowances = { ...free, ...counts, untrustedLimit };
    // What is due for longest goes first.
    const [longest] = await world.server.query<{ id: string }>(
      `UPDATE webhook_deliveries SET due_at = due_at - interval '1 hour'
        WHERE id = (SELECT max(id) FROM webhook_deliveries WHERE webhook_id = $1) RETURNING id`,
      [id],
    );
    const taken = await claimDeliveries('alone', { webhookIds: [id] }, allowances, platform);
    expect(taken).toHaveLength(expected);
    if (expected > 0) expect(taken.map((one) => one.id)).toContain(longest?.id);
  });

  it('are taken when the first delay is over, and again when the next one is', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/patient');
    await world.happens(tenant);
    const settings = { ...platform.settings, WEBHOOK_RETRY_DELAYS: [60_000, 90_000] };
    const at = (since: Date | undefined, ms: number) => {
      const now = new Date(since!.getTime() + ms);
      return { ...platform, settings, clock: { ...platform.clock, now: () => now } };
    };
    const claim = (present: Platform) => claimDeliveries('patient', { webhookIds: [id] }, free, present);
    const [recorded] = await world.deliveries(id);
    const early = at(recorded?.due_at, 59_999);
    expect(await claim(early)).toEqual([]);
    const inTime = at(recorded?.due_at, 60_000);
    expect(await nextDueAt(early.clock.now(), early)).toEqual(inTime.clock.now());
    const [delivery] = await claim(inTime);
    const now = inTime.clock.now();
    const attempt = { delivery: delivery!, token: 'patient', outcome: failed, startedAt: now, endedAt: now };
    await new AttemptRecorder(`worker of ${id}`, inTime).record(attempt);
    expect(await claim(at(now, 89_999))).toEqual([]);
    expect(await claim(at(now, 90_000))).toHaveLength(1);
  });

  it('are kept, and given back for later, by whoever has taken them alone', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const webhookId = await world.register(key, '/kept');
    await world.happens(tenant);
    const claim = () => claimDeliveries('mine', { webhookIds: [webhookId] }, free, platform);
    const [{ id }] = (await claim()) as [ClaimedDelivery];
    const leasedUntil = async () => {
      const [row] = await world.server.query<{ leased_until: Date | null }>(
        'SELECT leased_until FROM webhook_deliveries WHERE id = $1',
        [id],
      );
      return row?.leased_until?.getTime() ?? null;
    };
    await world.server.query(
      `UPDATE webhook_deliveries SET leased_until = leased_until - interval '1 second' WHERE id = $1`,
      [id],
    );
    const taken = (await leasedUntil()) as number;
    const [soon, later] = [0, 60_000].map((ms) => new Date(platform.clock.now().getTime() + ms)) as [
      Date,
      Date,
    ];
    await renewLeases([{ id, token: 'other' }], platform);
    await releaseLease({ id, token: 'other' }, soon, platform);
    expect(await leasedUntil()).toBe(taken);
    await renewLeases([{ id, token: 'mine' }], platform);
    expect(await leasedUntil()).toBeGreaterThan(taken);
    await releaseLease({ id, token: 'mine' }, later, platform);
    expect(await leasedUntil()).toBeNull();
    expect(await world.deliveries(webhookId)).toMatchObject([{ status: 'pending', due_at: later }]);
    expect(await claim()).toEqual([]);
    await world.remove(key, webhookId);
  });

  it('are those of a webhook that answers well when its latest attempt succeeded', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/trusted');
    const trusted: boolean[] = [];
    // Two are recorded after an attempt that was later.
    for (const [outcome, seconds] of [
      [delivered, 0],
      [failed, 1],
      [delivered, 2],
      [delivered, 4],
      [delivered, 3],
      [failed, 6],
      [delivered, 5],
      [delivered, 7],
    ] as const) {
      await world.change(key, id, { active: true });
      await world.happens(tenant);
      const [delivery] = await claimDeliveries('trusting', { webhookIds: [id] }, free, platform);
      trusted.push(delivery!.trusted);
      await record(delivery, 'trusting', outcome, seconds * 1_000);
    }
    expect(trusted).toEqual([false, true, false, true, true, true, false, false]);
  });

  it('take slots of their own kind, of those that answer well and of the others', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const well = await world.register(key, '/well');
    await world.happens(tenant);
    const [first] = await claimDeliveries('first', { webhookIds: [well] }, free, platform);
    await record(first, 'first', delivered);
    const webhookIds = [well, await world.register(key, '/unknown')];
    for (let event = 0; event < 9; event += 1) await world.happens(tenant);
    const allowances = { ...free, trustedLimit: 9, untrustedLimit: 3 };
    const taken = await claimDeliveries('both', { webhookIds }, allowances, platform);
    const numberOf = (id: string) => taken.filter(({ webhook_id }) => webhook_id === id).length;
    // Of each kind, one wallet alone leaves a third.
    expect(webhookIds.map(numberOf)).toEqual([6, 2]);
  });

  it('are no part of the backlog until they have been due for a minute', async () => {
    const { platform, metrics } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/backlog');
    const backlog = async () => {
      await measureBacklog(platform, metrics);
      const { text } = await world.server.rest('GET', '/metrics');
      return Number(/^embarque_backlog\{kind="webhook_deliveries"\} (\d+)$/m.exec(text)?.[1]);
    };
    const before = await backlog();
    await world.happens(tenant);
    expect(await backlog()).toBe(before);
    await world.server.query(
      `UPDATE webhook_deliveries SET due_at = due_at - interval '1 minute' WHERE webhook_id = $1`,
      [id],
    );
    expect(await backlog()).toBe(before + 1);
    const [taken] = await claimDeliveries('backlog', { webhookIds: [id] }, free, platform);
    await record(taken, 'backlog', delivered);
    expect(await backlog()).toBe(before);
  });

  it.each([
    ['switched off', (key: string, id: string) => world.change(key, id, { active: false })],
    ['deleted', (key: string, id: string) => world.remove(key, id)],
  ])('and give back after their webhook was %s are taken by nobody, and skipped', async (what, end) => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, `/${what.replace(' ', '-')}`);
    const claim = (token: string) => claimDeliveries(token, { webhookIds: [id] }, free, platform);
    await world.happens(tenant);
    const [made] = await claim('made');
    await record(made, 'made', delivered);
    await world.happens(tenant);
    const [taken] = await claim('first');
    await world.happens(tenant);
    expect((await end(key, id)).status).toBe(200);
    await releaseLease({ id: taken!.id, token: 'first' }, platform.clock.now(), platform);
    const statuses = async () => (await world.deliveries(id)).map(({ status }) => status);
    expect(await statuses()).toEqual(['delivered', 'pending', 'skipped']);
    expect(await claim('second')).toEqual([]);
    await skipInactive(platform);
    expect(await statuses()).toEqual(['delivered', 'skipped', 'skipped']);
  });
});
