import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lateAfter } from '../../src/infrastructure/lateAfter.ts';

const server = createServer();
let here: Socket;
let there: Socket;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  here = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [there] = (await accepted) as [Socket];
  await once(here, 'connect');
});
afterAll(() => {
  here.destroy();
  there.destroy();
  server.close();
});

const standStill = (milliseconds: number) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

it('acts once the time is over', async () => {
  const startedMs = performance.now();
  await new Promise<void>((resolve) => void lateAfter(50, resolve));
  // Timers count in whole milliseconds.
  expect(performance.now() - startedMs).toBeGreaterThan(48);
});

it('lets what came while the process stood still call it off', async () => {
  const happened: string[] = [];
  const callOff = lateAfter(50, () => happened.push('late'));
  const read = new Promise<void>((resolve) => {
    here.once('data', () => {
      happened.push('read');
      callOff();
      resolve();
    });
  });
  // The system has it when this returns.
  there.write('answer');
  standStill(200);
  await read;
  // By then it would have acted.
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(happened).toEqual(['read']);
});

it('acts after what came while the process stood still, where that does not call it off', async () => {
  const happened: string[] = [];
  here.once('data', () => happened.push('read'));
  const acted = new Promise<void>((resolve) => {
    lateAfter(50, () => {
      happened.push('late');
      resolve();
    });
  });
  there.write('answer');
  standStill(200);
  await acted;
  expect(happened).toEqual(['read', 'late']);
});

it('counts little of a time that the process stood still: there are several answers to come', async () => {
  const happened: string[] = [];
  const callOff = lateAfter(1_000, () => happened.push('late'));
  standStill(2_000);
  for (let answers = 0; answers < 3; answers += 1) {
    const read = new Promise((resolve) => void here.once('data', resolve));
    there.write('answer');
    await read;
  }
  callOff();
  expect(happened).toEqual([]);
});
