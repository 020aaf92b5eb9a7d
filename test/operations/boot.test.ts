import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { urlOf } from '../../src/infrastructure/http/listening.ts';
import { eventually, restRequest } from '../harness/client.ts';
import { projectFolder } from '../harness/compiledProduct.ts';
import { embedded, realEngine } from '../harness/engines.ts';
import { ownPort } from '../harness/ownPort.ts';
import { rawRequest } from '../harness/rawRequest.ts';
import { followServer, paste, useServerProcesses } from '../harness/serverProcess.ts';

const startProcess = useServerProcesses();
const real = realEngine();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embarque-boot-'));
  // From nothing, all types checked, it takes a slow machine longer than a start may.
  await promisify(execFile)('npm', ['run', 'build', '--silent'], { cwd: projectFolder });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('npm start builds, runs, and prints lines that work when pasted; a chosen key is named, not shown; the store is its own', async () => {
  const built = join(projectFolder, 'dist/bundle/main.js');
  await rm(built);
  const chosen = { BOOTSTRAP_TEST_KEY: 'sk_test_chosen-for-npm-start' };
  const child = spawn('npm', ['start'], {
    cwd: projectFolder,
    env: {
      ...process.env,
      PORT: '0',
      DATA_DIR: join(folder, 'started'),
      DATABASE_URL: '',
      REDIS_URL: '',
      ...chosen,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const server = followServer(child);
  try {
    // One after the other: a slow machine takes as long for the build as a start may take.
    await eventually(() => existsSync(built) || child.exitCode !== null, 60_000);
    await server.ready();
    await eventually(() => server.output.stdout.includes('availableCredit } }"}\''));
    const outputs = await paste(server.output.stdout, chosen);
    expect(outputs.map((output) => JSON.parse(output))).toMatchObject([
      { success: true, data: { balance: '5000.00', available_credit: '5000.00' } },
      { data: { walletBalance: { balance: '5000.00', availableCredit: '5000.00' } } },
    ]);
    expect(server.output.stdout).not.toContain(chosen.BOOTSTRAP_TEST_KEY);
    expect(server.output.stdout).toMatch(/sk_live_[\w-]{43}\n/);
    const second = startProcess({ PORT: '0', DATA_DIR: join(folder, 'started') });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.output.stderr).toMatch(/^Not started: DATA_DIR .* is in use by another process.*\n$/);
  } finally {
    // The server is a child of npm's: the group that this test made is asked to stop.
    if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGTERM');
    await server.exited;
  }
});

it('whatever is asked for, Node.js finds nothing to warn operators of', async () => {
  const server = startProcess({ DATA_DIR: join(folder, 'unwarned'), PORT: '0' });
  const url = await server.ready();
  for (const path of [`${url}/health/live`, '/health/live#part', '*'])
    await rawRequest(url, { method: 'GET', path });
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  expect(server.output.stderr).toBe('');
});

it('what is meant as a setting, and is none, is told of in the log, without what it was to be', async () => {
  const environment = { DATA_DIR: join(folder, 'meant'), PORT: '0', RATE_LIMIT_SERACH: '1' };
  const secret = 'postgres://embarque:s3cr3t@database/embarque';
  const server = startProcess(environment, `--database-url=${secret}`, '--database-url', secret, '--help');
  await server.ready();
  const warned = () => server.log().filter(({ level }) => level === 40);
  await eventually(() => warned().length === 5);
  const [misspelt, ...given] = warned();
  expect(misspelt).toMatchObject({ variable: 'RATE_LIMIT_SERACH', setting: 'RATE_LIMIT_SEARCH' });
  expect(given.map(({ option }) => option)).toEqual([
    '--database-url',
    '--database-url',
    undefined,
    '--help',
  ]);
  await server.stop();
  expect(server.output.stdout).not.toContain('s3cr3t');
});

it('a port that is taken ends the start with one line, and no key is made that nobody was shown', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const { settings, release } = await embedded.allocate();
  const server = startProcess({ ...settings, PORT: String(port) });
  expect(await server.exited).toEqual({ code: 1, signal: null });
  expect(server.output.stderr).toMatch(/^Not started: HOST 127\.0\.0\.1, PORT \d+: .*EADDRINUSE.*\n$/);
  taken.close();
  const next = startProcess({ ...settings, PORT: '0' });
  await next.ready();
  await eventually(() => /operator {3}sk_admin_[\w-]{43}\n/.test(next.output.stdout));
  await next.stop();
  await release();
});

/** The name of the interface that has the loopback of IPv6, where a machine has it. */
const loopback = Object.entries(networkInterfaces()).find(([, list]) =>
  list?.some(({ address }) => address === '::1'),
)?.[0];

it('an address may name its interface, and is shown as URLs spell that', async () => {
  expect(urlOf('fe80::1%eth0', 4000)).toBe('http://[fe80::1%25eth0]:4000');
  if (loopback === undefined) return;
  const { settings, release } = await embedded.allocate();
  const server = startProcess({ ...settings, PORT: '0', HOST: `::1%${loopback}` });
  const url = await server.ready();
  expect(url).toMatch(new RegExp(`^http://\\[::1%25${loopback}\\]:\\d+$`));
  const answer = await fetch(`${url.replace(`%25${loopback}`, '')}/health/ready`);
  expect(answer.status).toBe(200);
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  await release();
});

it('an output that nobody reads ends no start', async () => {
  const port = await ownPort();
  const { settings, release } = await embedded.allocate();
  const server = startProcess({ ...settings, PORT: String(port) });
  server.process.stdout?.destroy();
  const isReady = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
    return answer?.ok;
  };
  expect(await Promise.race([server.exited, eventually(isReady, 60_000)])).toBe(true);
  // The first lines of the log come after what is said at the start.
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  await release();
});

it('a wrong setting ends the start with one line', async () => {
  const server = startProcess({ PORT: 'many', DATA_DIR: join(folder, 'data') });
  expect(await server.exited).toEqual({ code: 1, signal: null });
  expect(server.output.stderr).toMatch(/^Wrong settings: PORT: .*\n$/);
});

it('so does one beside others that are left out', async () => {
  const server = startProcess({ PORT: 'many', DATABASE_URL: 'postgres://127.0.0.1:1/none' });
  expect(await server.exited).toEqual({ code: 1, signal: null });
  expect(server.output.stderr).toMatch(/^Wrong settings: PORT: .*; with DATABASE_URL, name PAYMENT_.*\n$/);
});

// In what a Linux keeps in /proc and /sys nobody makes files, not even its administrator.
const unusable: [path: string, reason: RegExp][] = [
  ['/dev/null', /^\/dev\/null is there, and is no folder\n$/],
  ['/dev/null/data', /^ENOTDIR: .*\n$/],
  ...(process.platform === 'linux' ? ['/proc/no/data', '/sys'] : []).map((path): [string, RegExp] => [
    path,
    /^E[A-Z]+: .*\n$/,
  ]),
];

it.each(unusable)(
  'a store that cannot be made, as in %s, ends the start with one line',
  async (path, reason) => {
    const server = startProcess({ PORT: '0', DATA_DIR: path });
    expect(await server.exited).toEqual({ code: 1, signal: null });
    const [before, said] = server.output.stderr.split(`DATA_DIR ${path}: `);
    expect(before).toBe('Not started: ');
    expect(said).toMatch(reason);
  },
);

describe.runIf(real)('With PostgreSQL and Redis', () => {
  it('a database that does not answer ends the start with one line and no password', async () => {
    const { settings, release } = await real!.allocate();
    const server = startProcess({
      ...settings,
      PORT: '0',
      DATABASE_URL: 'postgres://someone:hidden@127.0.0.1:1/none',
    });
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.output.stderr).toMatch(/^Not started: DATABASE_URL: .*ECONNREFUSED.*\n$/);
    expect(JSON.stringify(server.output)).not.toContain('hidden');
    await release();
  });

  it('a Redis that does not answer leaves the server working, and not ready', async () => {
    const { settings, release } = await real!.allocate();
    const key = 'sk_test_0123456789abcdef';
    const server = startProcess({
      ...settings,
      PORT: '0',
      REDIS_URL: 'redis://127.0.0.1:1',
      BOOTSTRAP_TEST_KEY: key,
    });
    const url = await server.ready();
    expect((await restRequest(url, 'GET', '/api/v1/wallet/balance', { key })).status).toBe(200);
    const ready = await restRequest(url, 'GET', '/health/ready');
    expect([ready.status, ready.body.checks]).toEqual([
      503,
      { database: 'ok', migrations: 'ok', redis: 'unavailable' },
    ]);
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    await release();
  });
});
