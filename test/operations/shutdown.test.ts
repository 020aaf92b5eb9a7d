import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestRecharge } from '../harness/activity.ts';
import { eventually, graphqlDoor } from '../harness/client.ts';
import type { Place } from '../harness/engines.ts';
import { embedded } from '../harness/engines.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import { useServerProcesses } from '../harness/serverProcess.ts';
import { transports, walletEvents } from '../harness/subscribers.ts';

const startProcess = useServerProcesses();
const key = 'sk_test_0123456789abcdef';

let place: Place;
beforeAll(async () => {
  place = await embedded.allocate();
});
afterAll(() => place.release());

/** The beginning of a request whose body is still to come. */
async function beginRequest(url: string, body: string): Promise<{ socket: Socket; answer(): string }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  await once(socket, 'connect');
  socket.write(
    `POST /api/v1/wallet/recharge HTTP/1.1\r\nHost: embarque\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  );
  return { socket, answer: () => answer };
}

it('SIGTERM: nothing new comes in, what is in flight is finished however often it is asked to stop, nobody can hold the process up', async () => {
  const server = startProcess({ PORT: '0', ...place.settings, BOOTSTRAP_TEST_KEY: key });
  const url = await server.ready();
  const door = {
    graphql: (query: string, variables: object | null, caller: string | null) =>
      graphqlDoor(url, query, variables, caller),
  };
  const subscribers = transports.map(({ subscribe }) => subscribe(url, { key }));
  await eventually(async () => {
    await requestRecharge(door, key);
    return subscribers.every(({ events }) => events.length > 0);
  });
  const deaf = await connectRawSocket(url, key);
  deaf.send({ type: 'subscribe', id: '1', payload: { query: walletEvents } });
  deaf.socket.pause();
  const silent = connect(Number(new URL(url).port), '127.0.0.1');
  const silentEnd = new Promise((resolve) => silent.on('error', () => undefined).once('close', resolve));
  const body = JSON.stringify({ amount: '100.00', currency: 'BRL', payment_method: 'pix' });
  const finishing = await beginRequest(url, body);
  const stalled = await beginRequest(url, body);
  // The server has both beginnings once it has answered what was sent after them.
  await requestRecharge(door, key);

  const askedAt = performance.now();
  const exited = server.stop();
  const [overSocket, overStream] = await Promise.all(subscribers.map((subscriber) => subscriber.ended()));
  expect(overSocket.code).toBe(1001);
  expect(overStream).not.toBe('complete');
  await eventually(() =>
    fetch(`${url}/health/live`).then(
      () => false,
      () => true,
    ),
  );
  // As Ctrl-C at `npm start` does, or somebody who is impatient.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) server.process.kill(signal);
  // Browsers connect in advance: one that asks for nothing is not waited for as long as a request in flight is.
  await silentEnd;
  finishing.socket.write(body.slice(10));
  await eventually(() => finishing.answer().includes('"status":"pending"'));
  expect(finishing.answer()).toMatch(/^HTTP\/1\.1 201 [\s\S]*\r\nConnection: close\r\n/);
  expect(await exited).toEqual({ code: 0, signal: null });
  expect(performance.now() - askedAt).toBeLessThan(10_000);
  expect(stalled.answer()).toBe('');
  expect(server.log().at(-1)).toMatchObject({ msg: 'stopped' });
  expect(server.output.stderr).toBe('');
  for (const socket of [finishing.socket, stalled.socket]) socket.destroy();
  deaf.socket.terminate();

  const again = startProcess({ PORT: '0', ...place.settings });
  const { body: kept } = await graphqlDoor(
    await again.ready(),
    '{ recharges { pagination { total } } }',
    null,
    key,
  );
  const answered = subscribers[0]?.events.length ?? 0;
  expect(kept.data?.recharges.pagination.total).toBeGreaterThan(answered);
  const quick = performance.now();
  again.process.kill('SIGINT');
  expect(await again.exited).toEqual({ code: 0, signal: null });
  expect(performance.now() - quick).toBeLessThan(5_000);
});

const busyClients = 8;

/** Stops a server whose clients keep their connections busy. @returns how many were told, and how many came back in vain. */
async function stopUnderRequests() {
  const server = startProcess({ PORT: '0', ...place.settings, BOOTSTRAP_TEST_KEY: key });
  const url = await server.ready();
  let answered = 0;
  let announced = 0;
  const ask = (agent: Agent) =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}` };
      const sent = request(`${url}/api/v1/wallet/balance`, { agent, headers }, (response) => {
        if (response.headers.connection === 'close') announced += 1;
        response.resume().once('end', resolve).once('error', reject);
      });
      sent.once('error', reject).end();
    });
  /** Asks without a pause on one connection, until there is nobody any more. */
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (;;) {
        await ask(agent);
        answered += 1;
      }
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    } finally {
      agent.destroy();
    }
  };
  const clients = Array.from({ length: busyClients }, client);
  await eventually(() => answered > 400);
  let stillMs = 0;
  let seenMs = performance.now();
  const watch = setInterval(() => {
    stillMs = Math.max(stillMs, performance.now() - seenMs);
    seenMs = performance.now();
  }, 5);
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  const ends = await Promise.all(clients);
  clearInterval(watch);
  return { announced, refused: ends.filter((end) => end === 'ECONNREFUSED').length, stillMs };
}

/** How long a connection may be idle at least in a server that stops. */
const idleMs = 100;

it('SIGTERM: clients that keep their connections busy lose no request', async () => {
  const { announced, refused } = await eventually(async () => {
    const stop = await stopUnderRequests();
    // A busy machine may keep one from asking again in time. Clients of a process that stood still were not busy.
    const isKept = stop.refused === stop.announced && stop.announced > busyClients / 2;
    return (isKept || stop.stillMs < idleMs) && stop;
  });
  expect(refused).toBe(announced);
  expect(announced).toBeGreaterThan(busyClients / 2);
});

it('SIGTERM: who has connected is answered, though the process was too busy to accept', async () => {
  const server = startProcess({ PORT: '0', ...place.settings, BOOTSTRAP_TEST_KEY: key });
  const url = await server.ready();
  server.process.kill('SIGSTOP');
  const clients = Array.from({ length: 12 }, () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined).setEncoding('utf8');
    return socket;
  });
  const answers = clients.map(async (socket) => {
    let answer = '';
    socket.on('data', (text) => {
      answer += text;
    });
    await new Promise((resolve) => socket.once('close', resolve));
    return answer;
  });
  await Promise.all(clients.map((socket) => once(socket, 'connect')));
  const head = `GET /api/v1/wallet/balance HTTP/1.1\r\nHost: embarque\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  for (const socket of clients) await new Promise((resolve) => socket.write(head, resolve));
  const exited = server.stop();
  server.process.kill('SIGCONT');
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(await exited).toEqual({ code: 0, signal: null });
});

it.each(['SIGTERM', 'SIGINT'] as const)('%s ends a start that waits, too', async (signal) => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const connected = once(silent, 'connection') as Promise<[Socket]>;
  const server = startProcess({
    PORT: '0',
    DATABASE_URL: `postgres://someone@127.0.0.1:${(silent.address() as AddressInfo).port}/embarque`,
    PAYMENT_PROVIDER: 'simulated',
    FLIGHT_SUPPLIERS: 'simulated',
    EXCHANGE_RATES: 'table',
    ENCRYPTION_KEY: 'ab'.repeat(32),
  });
  const [socket] = await connected;
  try {
    server.process.kill(signal);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.log()).toMatchObject([{ msg: 'stopping', signal }]);
    expect(server.output.stderr).toBe('');
  } finally {
    socket.destroy();
    silent.close();
  }
});
