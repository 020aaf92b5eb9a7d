import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { restRequest } from '../harness/client.ts';
import { useServerProcesses } from './serverProcess.ts';

const shell = promisify(execFile);

describe('the built server as a process', () => {
  const start = useServerProcesses();
  let dataDir = '';
  const environment = () => ({ PORT: '0', DATA_DIR: dataDir });
  beforeAll(async () => {
    dataDir = join(await mkdtemp(join(tmpdir(), 'embarque-operations-')), 'data');
  });
  afterAll(() => rm(join(dataDir, '..'), { recursive: true, force: true }));

  it('prints keys once and lines that work when pasted, refuses a second process, stops in good order', async () => {
    const first = start(environment());
    await first.ready();
    const lines = first.output.stdout.replaceAll('\\\n', ' ').split('\n');
    const pasted = lines.filter((line) => line.trim().startsWith('curl '));
    expect(pasted).toHaveLength(2);
    for (const line of pasted) {
      const { stdout } = await shell('sh', ['-c', line]);
      expect(stdout).toContain('"5000.00"');
    }
    const keys = first.output.stdout.match(/sk_(live|test|admin)_[\w-]{43}/g) ?? [];
    expect(new Set(keys.map((key) => key.split('_')[1]))).toEqual(new Set(['live', 'test', 'admin']));
    expect(JSON.stringify(first.log())).not.toMatch(/sk_(live|test|admin)_[\w-]{43}/);

    const second = start(environment());
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.output.stderr).toMatch(/^Not started: DATA_DIR .* is in use by another process.*\n$/);

    expect(await first.stop()).toEqual({ code: 0, signal: null });
    expect(first.log().at(-1)).toMatchObject({ msg: 'stopped' });

    const again = start(environment());
    const url = await again.ready();
    expect(again.output.stdout).not.toContain('sk_live_');
    const kept = await restRequest(url, 'GET', '/api/v1/wallet/balance', { key: keys[0] ?? '' });
    expect(kept.status).toBe(200);
    expect(await again.stop()).toEqual({ code: 0, signal: null });
  });

  it('finishes what is in flight when it is asked to stop', async () => {
    const server = start({
      ...environment(),
      BOOTSTRAP_TEST_KEY: 'sk_test_operations1',
      DATA_DIR: `${dataDir}-2`,
    });
    const url = await server.ready();
    const create = () =>
      restRequest(url, 'POST', '/api/v1/wallet/recharge', {
        key: 'sk_test_operations1',
        body: { amount: '100.00', currency: 'BRL', payment_method: 'boleto' },
      });
    expect((await create()).status).toBe(201);
    const inFlight = Array.from({ length: 20 }, create);
    // The first of them has been answered, so the others have been accepted.
    await Promise.race(inFlight);
    const exit = server.stop();
    const answers = await Promise.allSettled(inFlight);
    expect(answers.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    for (const answer of answers) if (answer.status === 'fulfilled') expect(answer.value.status).toBe(201);
    expect(await exit).toEqual({ code: 0, signal: null });
  });

  it.each([
    [{ PORT: 'many' }, /^Wrong settings: PORT: .*\n$/],
    [{ RATE_LIMIT_WINDOW: '60' }, /^Wrong settings: RATE_LIMIT_WINDOW: "60" is not a duration.*\n$/],
    [{ ROLES: 'api,cook' }, /^Wrong settings: ROLES: must be api, worker or api,worker\n$/],
    [{ BOOTSTRAP_LIVE_KEY: 'secret' }, /^Wrong settings: BOOTSTRAP_LIVE_KEY: must be sk_live_.*\n$/],
    [
      { DATABASE_URL: 'postgres://127.0.0.1:1/none' },
      /^Wrong settings: with DATABASE_URL, name PAYMENT_PROVIDER, FLIGHT_SUPPLIERS, EXCHANGE_RATES, ENCRYPTION_KEY\n$/,
    ],
  ])('does not start with %j and says why in one line', async (settings, line) => {
    const server = start({ ...environment(), ...(settings as Record<string, string>) });
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.output.stderr).toMatch(line);
  });
});
