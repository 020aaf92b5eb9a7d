import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Platform } from '../../src/domain/platform.ts';
import { WebhookDispatcher } from '../../src/domain/webhooks/dispatcher.ts';
import type { AttemptOutcome } from '../../src/infrastructure/webhooks/outcome.ts';
import { createWebhookSender } from '../../src/infrastructure/webhooks/sender.ts';
import { deferred } from '../bookings/airline.ts';
import { testCertificates } from '../harness/certificates.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeSeveralSessions, embedded } from '../harness/engines.ts';
import { stopAfter } from '../harness/handedConnections.ts';
import { restoreMachineClock, suspendMachine } from '../harness/machineClock.ts';
import { passMonotonicTime } from '../harness/monotonicClock.ts';
import { minuteMs } from '../harness/testClock.ts';
import { DeliveryWorld } from './deliveryWorld.ts';
import { failed } from './workerStage.ts';

/** No retry comes in between, and no machine is too loaded to be reached when a webhook is registered. */
const settings = { WEBHOOK_RETRY_DELAYS: '0s,1h', WEBHOOK_REACHABILITY_CHECK: 'false' };

/** Has time pass by the clocks that go on while the machine is suspended. */
function passSuspended(milliseconds: number): () => void {
  suspendMachine(milliseconds);
  return restoreMachineClock;
}

describeEngines('a worker that has not recorded an attempt for longer than a lease', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    // A lease is three times as long as an attempt may take, and is looked at by each sweep. A loaded machine needs a while.
    world = await DeliveryWorld.open(engine, {
      settings: {
        ...settings,
        WEBHOOK_TIMEOUT: '2s',
        SWEEP_INTERVAL: '100ms',
      },
    });
  });
  afterAll(() => world.close());

  it('renews it, so that nobody sends again', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/renewed');
    const { query } = world.server;
    const acceptAgain = await world.refuseAttempts();
    await world.happens(tenant);
    const lease = async () => {
      const [row] = await query<{ until: Date | null }>(
        'SELECT leased_until AS until FROM webhook_deliveries WHERE webhook_id = $1',
        [id],
      );
      return row?.until?.getTime() ?? 0;
    };
    await eventually(() => world.received('/renewed').length > 0);
    const takenUntil = await lease();
    expect(takenUntil).toBeGreaterThan(0);
    await eventually(async () => (await lease()) > takenUntil + 6_000);
    await world.swept();
    await acceptAgain();
    const [delivery] = await world.until(id, ({ status }) => status === 'delivered');
    expect(delivery?.reasons).toEqual(['ok']);
    expect(world.received('/renewed')).toHaveLength(1);
  });
});

// Through Redis, workers hear of what happens in other databases too, and look.
describe('a worker that looks for no more for longer than a lease', () => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    // A lease is three times as long as an attempt may take. Nothing but time has the worker renew it.
    world = await DeliveryWorld.open(embedded, {
      settings: { ...settings, WEBHOOK_TIMEOUT: '3s', SWEEP_INTERVAL: '1h' },
    });
  });
  afterAll(() => world.close());

  it('renews it each time before it lapses, so that no other sends again', async () => {
    const leaseMs = 9_000;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/renewed-in-time');
    const acceptAgain = await world.refuseAttempts();
    await world.happens(tenant);
    /** When the lease was to lapse after it was taken and after each time that it was renewed. */
    const lapses: number[] = [];
    await eventually(async () => {
      const [row] = await world.server.query<{ until: Date | null }>(
        'SELECT leased_until AS until FROM webhook_deliveries WHERE webhook_id = $1',
        [id],
      );
      const until = row?.until?.getTime() ?? null;
      if (until !== null && until !== lapses.at(-1)) lapses.push(until);
      return lapses.length === 3;
    });
    const [taken, renewed, again] = lapses as [number, number, number];
    expect(renewed - taken).toBeLessThan(leaseMs);
    // Not just as it lapses: the next one would be late.
    expect(again - renewed).toBeLessThan(leaseMs - 1_500);
    const other = new WebhookDispatcher(world.server.running.gateway.platform);
    await other.sweep();
    await other.stop();
    await acceptAgain();
    const [delivery] = await world.until(id, ({ status }) => status === 'delivered');
    expect(delivery?.reasons).toEqual(['ok']);
    expect(world.received('/renewed-in-time')).toHaveLength(1);
  });
});

// Through Redis, others' workers would have it look before the test is ready.
describe('a worker that stood still for longer than a lease', () => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    // Neither a sweep nor the time of a renewal comes before the test has ended, nor does an attempt end by itself.
    const times = { WEBHOOK_TIMEOUT: '10m', SWEEP_INTERVAL: '1h' };
    world = await DeliveryWorld.open(embedded, { settings: { ...settings, ...times } });
  });
  afterAll(() => world?.close());

  it.each([
    ['frozen', passMonotonicTime],
    ['suspended', passSuspended],
  ])(
    'renews what it has under way before it takes more once it was %s, so that it does not send that again',
    async (how, pass) => {
      const path = `/stood-still-${how}`;
      const { key, tenant } = await world.team();
      const id = await world.register(key, path);
      world.hold(path);
      onTestFinished(async () => {
        await world.remove(key, id);
        await world.until(id, ({ reasons }) => reasons.length > 0);
      });
      const leases = () =>
        world.server.query<{ token: string; held: boolean }>(
          `SELECT lease_token AS token, leased_until > clock_timestamp() AS held FROM webhook_deliveries
          WHERE webhook_id = $1 ORDER BY id`,
          [id],
        );
      const sent = (count: number) => eventually(() => world.received(path).length === count);
      await world.happens(tenant);
      await sent(1);
      const [before] = await leases();
      await world.server.query(
        `UPDATE webhook_deliveries SET leased_until = clock_timestamp() - interval '1 second' WHERE webhook_id = $1`,
        [id],
      );
      onTestFinished(pass(30 * minuteMs));
      await world.happens(tenant);
      await sent(2);
      expect((await leases())[0]).toEqual({ ...before, held: true });
    },
  );
});

describeEngines('a worker that starts while somebody has a lease', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    // Nobody sends before it starts.
    world = await DeliveryWorld.open(engine, { settings: { ...settings, ROLES: 'api' } });
  });
  afterAll(() => world?.close());

  it('takes it from a dead one where a store is its own, and leaves it where others may live', async () => {
    const { key, tenant } = await world.team();
    const [held, free] = [await world.register(key, '/held'), await world.register(key, '/free')];
    await world.happens(tenant);
    await world.server.query(
      `UPDATE webhook_deliveries SET lease_token = 'other', leased_until = clock_timestamp() + interval '1 hour'
        WHERE webhook_id = $1`,
      [held],
    );
    await world.server.restart({ ROLES: 'api,worker' });
    await world.until(free, ({ status }) => status === 'delivered');
    if (engine === embedded) await world.until(held, ({ status }) => status === 'delivered');
    await world.swept();
    expect(world.received('/held')).toHaveLength(engine === embedded ? 1 : 0);
  });
});

describeSeveralSessions('a worker whose leases lapsed while it stood still', (engine) => {
  const leaseMs = 30 * minuteMs;
  let world: DeliveryWorld;
  beforeAll(async () => {
    // No worker but those of the tests.
    const times = { WEBHOOK_TIMEOUT: '10m', SWEEP_INTERVAL: '1h', ROLES: 'api' };
    world = await DeliveryWorld.open(engine, { settings: { ...settings, ...times } });
  });
  afterAll(() => world?.close());

  const worker = (webhookSender?: Platform['webhookSender']) => {
    const { platform } = world.server.running.gateway;
    const dispatcher = new WebhookDispatcher({ ...platform, ...(webhookSender && { webhookSender }) });
    onTestFinished(() => dispatcher.stop());
    return dispatcher;
  };

  /** A webhook with a delivery that is due. */
  async function due(path: string): Promise<string> {
    const { key, tenant } = await world.team();
    const id = await world.register(key, path);
    await world.happens(tenant);
    return id;
  }

  const letLapse = (id: string) =>
    world.server.query(
      `UPDATE webhook_deliveries SET leased_until = clock_timestamp() - interval '1 second' WHERE webhook_id = $1`,
      [id],
    );

  /** Another worker finds that they lapsed, and sends what it held. */
  async function othersSend(id: string): Promise<void> {
    await letLapse(id);
    await worker().sweep();
    await world.until(id, ({ status }) => status === 'delivered');
  }

  it.each([
    ['frozen', passMonotonicTime],
    ['suspended', passSuspended],
  ])('leaves to others what it took just before it was %s', async (how, pass) => {
    const path = `/taken-${how}`;
    const id = await due(path);
    const former = worker();
    const { sequelize } = world.server.running.gateway.platform;
    const meanwhile = () => othersSend(id);
    onTestFinished(stopAfter('claim_webhook_deliveries', () => pass(leaseMs), sequelize, meanwhile));
    await former.sweep();
    await former.stop();
    const [delivery] = await world.deliveries(id);
    expect(delivery).toMatchObject({ status: 'delivered', reasons: ['ok'] });
    expect(world.received(path)).toHaveLength(1);
  });

  it.each([
    ['leaves to others what it was opening a connection for', true, false],
    ['leaves that to others also where it has asked meanwhile for what it holds still', true, true],
    ['goes on with that where it holds it still', false, true],
  ])('%s', async (_what, othersTakeIt, itAsks) => {
    const path = `/connecting/${othersTakeIt}/${itAsks}`;
    const id = await due(path);
    const resolved = deferred<{ address: string; family: 4 }[]>();
    let asked = 0;
    const webhookSender = createWebhookSender({
      timeoutMs: 10 * minuteMs,
      allowPrivateHosts: true,
      ca: (await testCertificates()).authority,
      lookup: () => {
        asked += 1;
        return resolved.promise;
      },
    });
    onTestFinished(() => webhookSender.close());
    const former = worker(webhookSender);
    const goOn = () => resolved.resolve([{ address: '127.0.0.1', family: 4 }]);
    onTestFinished(goOn);
    await former.sweep();
    await eventually(() => asked > 0);
    onTestFinished(restoreMachineClock);
    suspendMachine(leaseMs);
    await (othersTakeIt ? othersSend(id) : letLapse(id));
    // Before it takes more, it renews what it has under way.
    if (itAsks) await former.sweep();
    goOn();
    await eventually(() => webhookSender.stats().attemptsUnderWay === 0);
    await former.stop();
    const [delivery] = await world.deliveries(id);
    expect(delivery).toMatchObject({ status: 'delivered', reasons: ['ok'] });
    expect(world.received(path)).toHaveLength(1);
    expect(asked).toBe(1);
  });

  it('goes on with what it takes anew while it sends that, and does not send it twice', async () => {
    const id = await due('/taken-anew');
    const answered = deferred<AttemptOutcome>();
    let sent = 0;
    const { platform } = world.server.running.gateway;
    const one = worker({
      ...platform.webhookSender,
      send: () => {
        sent += 1;
        return answered.promise;
      },
    });
    onTestFinished(() => answered.resolve(failed));
    await one.sweep();
    await letLapse(id);
    // It stands still between its look at what it holds and what the database says of the next taking.
    const isTaken = deferred<void>();
    onTestFinished(
      stopAfter(
        'claim_webhook_deliveries',
        () => passMonotonicTime(leaseMs / 3),
        platform.sequelize,
        async () => isTaken.resolve(),
      ),
    );
    await one.sweep();
    await isTaken.promise;
    expect(sent).toBe(1);
    answered.resolve(failed);
    // It uses up an attempt: what is recorded under a lease that was lost does not.
    const [delivery] = await world.until(id, ({ reasons }) => reasons.length > 0);
    expect(delivery).toMatchObject({ status: 'pending', attempt_count: 1, reasons: ['http_status'] });
  });
});
