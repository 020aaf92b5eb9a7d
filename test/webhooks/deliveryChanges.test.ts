import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RestAnswer } from '../harness/client.ts';
import { eventually, restRequest } from '../harness/client.ts';
import { describeEngines, realEngine } from '../harness/engines.ts';
import { answer, startReceiver } from '../harness/receiver.ts';
import { useServerProcesses } from '../harness/serverProcess.ts';
import { TestClock } from '../harness/testClock.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

/** How long after a change something may still be on its way to where the webhook was. */
const graceMs = 1_000;

/** Resolves when the receiver sees no connection any more. @returns the milliseconds since `sinceMs`. */
async function letGo(openSockets: () => number, sinceMs: number): Promise<number> {
  await eventually(() => openSockets() === 0);
  return performance.now() - sinceMs;
}

/** A way to the receiver that can be blocked: then TCP connects, and TLS waits for ever. */
async function startDoor(receiverPort: number) {
  const open = new Set<Socket>();
  let blocked = false;
  const door = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    if (blocked) return socket.resume();
    const inner = connect(receiverPort, '127.0.0.1').on('error', () => socket.destroy());
    return socket.pipe(inner).pipe(socket);
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  return {
    port: (door.address() as AddressInfo).port,
    openSockets: () => open.size,
    block: () => {
      blocked = true;
    },
    async close() {
      for (const socket of open) socket.destroy();
      door.close();
      await once(door, 'close');
    },
  };
}

type Change = (world: DeliveryWorld, key: string, id: string, body: object | null) => Promise<RestAnswer>;

/** What must hold wherever the change is made. */
function changesEndWhatIsUnderWay(opened: () => DeliveryWorld, change: Change): void {
  it('a deleted webhook: the request under way is cut, logged and counted, and never repeated', async () => {
    const world = opened();
    const { key, tenant } = await world.team();
    // Of its own: connections to the other one are kept for a while once somebody has answered on them.
    const receiver = await startReceiver((request, socket) => {
      if (request.method !== 'POST') answer(200)(request, socket);
    });
    onTestFinished(() => receiver.close());
    const received = () => receiver.requests.filter(({ method }) => method === 'POST');
    const id = await world.register(key, '/deleted', receiver.url('/deleted'));
    await world.happens(tenant);
    await eventually(() => received().length === 1);
    await world.happens(tenant);
    await eventually(() => received().length === 2);
    expect((await change(world, key, id, null)).status).toBe(200);
    expect(await letGo(receiver.openSockets, performance.now())).toBeLessThan(graceMs);
    const deliveries = await world.until(id, ({ status }) => status === 'skipped');
    expect(deliveries.map(({ reasons }) => reasons)).toEqual([['cancelled'], ['cancelled']]);
    await world.happens(tenant);
    await world.swept();
    expect(received()).toHaveLength(2);
    const [counts] = await world.server.query(
      'SELECT total_deliveries, failed_deliveries FROM webhooks WHERE id = $1',
      [id],
    );
    expect(counts).toEqual({ total_deliveries: '2', failed_deliveries: '2' });
  });

  it('a changed URL: the request under way is cut and made at the new one, and costs no attempt', async () => {
    const world = opened();
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/before');
    world.hold('/before');
    await world.happens(tenant);
    await eventually(() => world.received('/before').length === 1);
    const changed = await change(world, key, id, { url: world.receiver.url('/after') });
    const changedMs = performance.now();
    expect(changed.status).toBe(200);
    await eventually(() => world.received('/after').length === 1);
    expect(performance.now() - changedMs).toBeLessThan(graceMs);
    const [delivery] = await world.until(id, ({ status }) => status === 'delivered');
    expect(delivery).toMatchObject({ reasons: ['cancelled', 'ok'], attempt_count: 1 });
    expect(world.received('/before')).toHaveLength(1);
    expect(world.received('/after')[0]?.body).toEqual(world.received('/before')[0]?.body);
    expect(await world.webhook(key, id)).toMatchObject({ total_deliveries: 2, failed_deliveries: 1 });
  });

  it('a changed URL, while a delivery waits for its connection: nothing is sent to the old one', async () => {
    const world = opened();
    const { key, tenant } = await world.team();
    const door = await startDoor(world.receiver.port);
    onTestFinished(() => door.close());
    const id = await world.register(key, '/waited', `https://localhost:${door.port}/waited`);
    door.block();
    await world.happens(tenant);
    await eventually(() => door.openSockets() === 1);
    const changed = await change(world, key, id, { url: world.receiver.url('/went') });
    const changedMs = performance.now();
    expect(changed.status).toBe(200);
    expect(await letGo(door.openSockets, changedMs)).toBeLessThan(graceMs);
    const [delivery] = await world.until(id, ({ status }) => status === 'delivered');
    expect(delivery?.reasons).toEqual(['ok']);
    expect(world.received('/went')).toHaveLength(1);
    expect(world.received('/waited')).toEqual([]);
  });
}

describeEngines('a webhook that changes', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { settings: { WEBHOOK_TIMEOUT: '10m' } });
  });
  afterAll(() => world.close());

  changesEndWhatIsUnderWay(
    () => world,
    (_world, key, id, body) => (body ? world.change(key, id, body) : world.remove(key, id)),
  );

  it('what is under way goes on when anything else changes', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/kept');
    const answers: Array<() => void> = [];
    onTestFinished(() => world.useBehaviours());
    world.receiver.behave((_request, socket) => {
      answers.push(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    });
    await world.happens(tenant);
    await eventually(() => answers.length === 1);
    await world.change(key, id, { events: ['wallet.debit', 'wallet.credit'] });
    await world.swept();
    for (const give of answers) give();
    const [delivery] = await world.until(id, ({ status }) => status === 'delivered');
    expect(delivery?.reasons).toEqual(['ok']);
  });
});

describeEngines('a webhook whose first attempts wait for an hour', (engine) => {
  const clock = new TestClock();
  let world: DeliveryWorld;
  beforeAll(async () => {
    const settings = { WEBHOOK_RETRY_DELAYS: '1h,1h', WEBHOOK_TIMEOUT: '10m' };
    world = await DeliveryWorld.open(engine, { clock, settings });
  });
  afterAll(() => world.close());

  it('gets what was under way at its new URL without another one', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/first');
    world.hold('/first');
    await world.happens(tenant);
    await world.swept();
    expect(world.received('/first')).toEqual([]);
    clock.advance(3_600_000);
    await eventually(() => world.received('/first').length === 1);
    await world.change(key, id, { url: world.receiver.url('/second') });
    const [delivery] = await world.until(id, ({ status }) => status === 'delivered');
    expect(delivery?.reasons).toEqual(['cancelled', 'ok']);
  });

  it('gets what waits for it when anything else changes', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/waits');
    await world.happens(tenant);
    await world.change(key, id, { events: ['wallet.debit', 'wallet.credit'] });
    await world.swept();
    clock.advance(3_600_000);
    const [delivery] = await world.until(id, ({ status }) => status === 'delivered');
    expect(delivery?.reasons).toEqual(['ok']);
  });
});

const server = realEngine();

describe.runIf(server)('a webhook that is changed at another process, with no signals between them', () => {
  const startProcess = useServerProcesses();
  let world: DeliveryWorld;
  let elsewhere: string;
  beforeAll(async () => {
    world = await DeliveryWorld.open(server!, { settings: { REDIS_URL: '' } });
    const settings = { ROLES: 'api', WEBHOOK_REACHABILITY_CHECK: 'false' };
    elsewhere = await startProcess({ ...world.server.environment, ...settings }).ready();
  });
  afterAll(() => world.close());

  changesEndWhatIsUnderWay(
    () => world,
    (_world, key, id, body) =>
      restRequest(elsewhere, body ? 'PUT' : 'DELETE', `/api/v1/webhooks/${id}`, {
        key,
        ...(body ? { body } : {}),
      }),
  );
});
