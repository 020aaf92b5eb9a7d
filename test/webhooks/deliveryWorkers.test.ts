import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { WebhookDispatcher } from '../../src/domain/webhooks/dispatcher.ts';
import { baseShare } from '../../src/domain/webhooks/shares.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { Behaviour } from '../harness/receiver.ts';
import { answer } from '../harness/receiver.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

/** Nothing here is found by a sweep, unless a test sweeps by hand, and no attempt ends but by its answer. */
const settings = { SWEEP_INTERVAL: '1h', WEBHOOK_TIMEOUT: '10m' };

describeEngines('workers that deliver', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    // No retry comes in between, however slow the machine is.
    world = await DeliveryWorld.open(engine, { settings: { ...settings, WEBHOOK_RETRY_DELAYS: '0s,1h' } });
  });
  afterAll(() => world.close());
  beforeEach(() => world.useBehaviours());

  it('what the database does not take is kept until it does, and not sent again', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/unrecorded');
    const { query } = world.server;
    await query('CREATE SEQUENCE refused_attempts');
    // What is undone leaves a sequence as it is.
    const acceptAgain = await world.refuseAttempts("nextval('refused_attempts') < 0");
    await world.happens(tenant);
    await eventually(async () => {
      const [refused] = await query<{ n: number }>('SELECT last_value::integer AS n FROM refused_attempts');
      return (refused?.n ?? 0) >= 3;
    });
    await acceptAgain();
    const [delivery] = await world.until(id, ({ status }) => status === 'delivered');
    expect(delivery?.reasons).toEqual(['ok']);
    expect(world.received('/unrecorded')).toHaveLength(1);
  });

  it('however many wait for the database, Node.js warns of no leak', async () => {
    const { key, tenant } = await world.team();
    const paths = ['/waiting/1', '/waiting/2'];
    const ids = [];
    for (const path of paths) ids.push(await world.register(key, path));
    const acceptAgain = await world.refuseAttempts();
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    for (const id of ids) await world.pileUp(id, tenant, baseShare - 1);
    await world.happens(tenant);
    await eventually(() => paths.every((path) => world.received(path).length === baseShare));
    // One more, which wakes the worker, is refused after them.
    await world.happens(tenant);
    await eventually(() => paths.every((path) => world.received(path).length === baseShare + 1));
    await acceptAgain();
    for (const id of ids) await world.until(id, ({ status }) => status === 'delivered');
    expect(warnings).toEqual([]);
  });

  it('a webhook that hangs with 10 000 waiting does not delay a healthy one, of its team or of another', async () => {
    const { key, tenant } = await world.team();
    const stranger = await world.team();
    const hanging = await world.register(key, '/hangs');
    await world.register(key, '/healthy');
    await world.register(stranger.key, '/stranger');
    world.hold('/hangs');
    await world.pileUp(hanging, tenant, 10_000);
    await world.happens(tenant);
    await eventually(() => world.received('/hangs').length === baseShare);
    // Whoever waited for one that hangs would wait for longer than the test.
    for (let round = 1; round <= 15; round += 1) {
      await Promise.all([world.happens(tenant), world.happens(stranger.tenant)]);
      await eventually(
        () => world.received('/healthy').length === round + 1 && world.received('/stranger').length === round,
      );
    }
    expect(world.received('/hangs')).toHaveLength(baseShare);
    const [{ waiting }] = (await world.server.query(
      `SELECT count(*)::integer AS waiting FROM webhook_deliveries WHERE webhook_id = $1 AND status = 'pending'`,
      [hanging],
    )) as [{ waiting: number }];
    expect(waiting).toBeGreaterThan(9_900);
    await world.remove(key, hanging);
    world.mend('/hangs');
  });

  it('a webhook that answers well gets more than its base share of a backlog', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/quick');
    await world.pileUp(id, tenant, 400);
    let open = 0;
    let mostOpen = 0;
    const slowly: Behaviour = (request, socket) => {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      setTimeout(() => {
        open -= 1;
        answer(200)(request, socket);
      }, 30);
    };
    world.receiver.behave(slowly);
    await world.happens(tenant);
    await world.until(id, ({ status }) => status === 'delivered');
    expect(world.received('/quick')).toHaveLength(401);
    expect(mostOpen).toBeGreaterThan(20);
    expect(mostOpen).toBeLessThanOrEqual(100);
  });

  it('those that answer well get equal parts of what is beyond the base shares, whoever had it before', async () => {
    const { key, tenant } = await world.team();
    const waiting = new Map<string, Array<() => void>>();
    const numberOf = (path: string) => waiting.get(path)?.length ?? 0;
    const answerFirst = (path: string, count: number) => {
      for (const go of waiting.get(path)?.splice(0, count) ?? []) go();
    };
    world.receiver.behave((request, socket) => {
      const go = () => answer(200)(request, socket);
      if (request.method !== 'POST') go();
      else waiting.set(request.path, [...(waiting.get(request.path) ?? []), go]);
    });
    /** Answers until a share has grown as far as it may; what comes after that is kept waiting. */
    const grow = (path: string) => {
      if (world.received(path).length - numberOf(path) < 100) answerFirst(path, 10);
    };
    const ids: string[] = [];
    const begin = async (path: string, count: number) => {
      const id = await world.register(key, path);
      ids.push(id);
      await world.pileUp(id, tenant, count);
    };
    const [longQueue, laterQueue] = [6_000, 1_000];
    const [early, late] = [
      ['/early/1', '/early/2'],
      ['/late/1', '/late/2'],
    ];
    try {
      for (const path of early) await begin(path, longQueue);
      await world.happens(tenant);
      await eventually(() => {
        for (const path of early) grow(path);
        return early.every((path) => numberOf(path) > 80);
      });
      for (const path of late) await begin(path, laterQueue);
      await world.happens(tenant);
      // A quarter of the slots beyond the base shares is 50, and a look for more is made when a fifth is free.
      await eventually(() => {
        for (const path of late) grow(path);
        for (const path of early) if (numberOf(path) > 40) answerFirst(path, 10);
        return late.every((path) => numberOf(path) > 45);
      });
      for (const path of early) expect(world.received(path).length).toBeLessThan(longQueue / 2);
    } finally {
      for (const id of ids) await world.remove(key, id);
      world.useBehaviours();
      for (const path of waiting.keys()) answerFirst(path, numberOf(path));
    }
  });

  it('attempts that a fault of ours kept from being made are made again once that is mended, however many', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/mended');
    const { query } = world.server;
    const [webhook] = await query<{ sealed: string }>(
      'SELECT sealed_secrets AS sealed FROM webhooks WHERE id = $1',
      [id],
    );
    const seal = (sealed?: string) =>
      query('UPDATE webhooks SET sealed_secrets = $2 WHERE id = $1', [id, sealed]);
    /** Of those that fell due when they were recorded, how many were put off since. */
    const notMade = async () => {
      const [{ putOff }] = (await query(
        `SELECT count(*)::integer AS "putOff" FROM webhook_deliveries
          WHERE webhook_id = $1 AND due_at > created_at + interval '0.5 seconds'`,
        [id],
      )) as [{ putOff: number }];
      return putOff;
    };
    await seal('of no key');
    // Those that kept a slot would leave none for the last.
    const events = baseShare + 1;
    for (let event = 0; event < events; event += 1) await world.happens(tenant);
    await eventually(async () => (await notMade()) === events);
    await seal(webhook?.sealed);
    const sent = await world.until(id, ({ status }) => status === 'delivered');
    expect(sent.map(({ reasons }) => reasons)).toEqual(Array(events).fill(['ok']));
    expect(world.received('/mended')).toHaveLength(events);
  });

  it.each([
    ['fails', 500, 'pending', 2],
    ['succeeds', 200, 'delivered', 1],
  ])(
    'an attempt that %s after its worker lost the lease is logged and counted',
    async (_what, late, status, left) => {
      const { key, tenant } = await world.team();
      const path = `/lost${late}`;
      const id = await world.register(key, path);
      const answers: Array<(code: number) => void> = [];
      world.receiver.behave((request, socket) => {
        if (request.path === path) answers.push((code) => answer(code)(request, socket));
        else answer(200)(request, socket);
      });
      await world.happens(tenant);
      await eventually(() => answers.length === 1);
      await world.server.query(
        `UPDATE webhook_deliveries SET leased_until = clock_timestamp() - interval '1 second' WHERE webhook_id = $1`,
        [id],
      );
      const { platform } = world.server.running.gateway;
      const other = new WebhookDispatcher(platform);
      await other.sweep();
      await eventually(() => answers.length === 2);
      answers[0]?.(late);
      const [first] = await world.until(id, ({ reasons }) => reasons.length === 1);
      // It was not this attempt's turn any more, so it takes none from the other.
      expect(first).toMatchObject({ status, attempt_count: 0 });
      answers[1]?.(500);
      const [both] = await world.until(id, ({ reasons }) => reasons.length === 2);
      expect(both).toMatchObject({ status, attempt_count: 1 });
      expect(await world.webhook(key, id)).toMatchObject({ total_deliveries: 2, failed_deliveries: left });
      expect(world.received(path)).toHaveLength(2);
      await other.stop();
    },
  );

  it.each([
    ['lost the lease to another', 'other'],
    ['let the lease lapse', null],
  ])(
    'an attempt that fails after its worker %s brings back nothing that was skipped since',
    async (_, taker) => {
      const { key, tenant } = await world.team();
      const path = `/skipped/${taker}`;
      const id = await world.register(key, path);
      const answers: Array<() => void> = [];
      world.receiver.behave((request, socket) => {
        if (request.path === path) answers.push(() => answer(500)(request, socket));
        else answer(200)(request, socket);
      });
      await world.happens(tenant);
      await eventually(() => answers.length === 1);
      const { query } = world.server;
      await query(
        'UPDATE webhook_deliveries SET lease_token = coalesce($2, lease_token) WHERE webhook_id = $1',
        [id, taker],
      );
      await world.change(key, id, { active: false });
      // Not before: a look for what other tests left waiting would take it again.
      await query(
        `UPDATE webhook_deliveries SET leased_until = clock_timestamp() - interval '1 second' WHERE webhook_id = $1`,
        [id],
      );
      const { platform } = world.server.running.gateway;
      const other = new WebhookDispatcher(platform);
      await other.sweep();
      await world.until(id, ({ status }) => status === 'skipped');
      answers[0]?.();
      const [delivery] = await world.until(id, ({ reasons }) => reasons.length === 1);
      expect(delivery).toMatchObject({ status: 'skipped', attempt_count: 0 });
      await other.stop();
    },
  );
});

describeEngines('workers that deliver again soon', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, {
      settings: { ...settings, WEBHOOK_RETRY_DELAYS: '0s,400ms,1h' },
    });
  });
  afterAll(() => world.close());

  it('a retry that falls due while other deliveries are under way is made at its time', async () => {
    const { key, tenant } = await world.team();
    await world.register(key, '/busy');
    const id = await world.register(key, '/again');
    let failFirst: (() => void) | undefined;
    world.receiver.behave((request, socket) => {
      if (request.path === '/busy') return;
      if (failFirst) answer(200)(request, socket);
      else failFirst = () => answer(500)(request, socket);
    });
    await world.happens(tenant);
    await eventually(() => failFirst && world.received('/busy').length === 1);
    failFirst?.();
    const [delivery] = await world.until(id, ({ status }) => status === 'delivered');
    expect(delivery?.reasons).toEqual(['http_status', 'ok']);
    // The other one still hangs.
    expect(world.received('/busy')).toHaveLength(1);
  });
});
