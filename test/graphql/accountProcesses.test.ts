import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually, graphqlDoor, restRequest } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import { restoreMachineClock, setMachineClock } from '../harness/machineClock.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { paste, useServerProcesses } from '../harness/serverProcess.ts';
import { minuteMs } from '../harness/testClock.ts';

const real = realEngine();

const startProcess = useServerProcesses();

const kinds = { live: 'sk_live_', test: 'sk_test_', operator: 'sk_admin_' };

/** The keys in what a server printed, by kind. */
function printedKeys(output: string): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, prefix]) => [
      kind,
      [...new Set(output.match(new RegExp(`${prefix}[A-Za-z0-9_-]+`, 'g')) ?? [])],
    ]),
  );
}

async function statuses(
  url: string,
  keys: { live: string; test: string; operator: string },
): Promise<number[]> {
  const balance = (key: string) => restRequest(url, 'GET', '/api/v1/wallet/balance', { key });
  const teams = await graphqlDoor(url, '{ teams { pagination { total } } }', null, keys.operator);
  return [
    (await balance(keys.live)).status,
    (await balance(keys.test)).status,
    teams.body.data?.teams.pagination.total,
  ];
}

describe('The demo team of an empty store', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'embarque-accounts-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('gets random keys, printed at the first start only, which go on working', async () => {
    const environment = { PORT: '0', DATA_DIR: join(folder, 'data') };
    const first = startProcess(environment);
    const url = await first.ready();
    const printed = printedKeys(first.output.stdout);
    const keys = {
      live: printed.live?.[0] ?? '',
      test: printed.test?.[0] ?? '',
      operator: printed.operator?.[0] ?? '',
    };
    expect(printed).toEqual({ live: [keys.live], test: [keys.test], operator: [keys.operator] });
    expect(await statuses(url, keys)).toEqual([200, 200, 1]);
    const pasted = await paste(first.output.stdout, {});
    expect(pasted.map((output) => output.includes('"5000.00"'))).toEqual([true, true]);
    const { body } = await graphqlDoor(
      url,
      '{ teams { items { name markupPercent feeAmount alertEmail corsDomains } } }',
      null,
      keys.operator,
    );
    expect(body.data?.teams.items).toEqual([
      {
        name: 'Agência Demonstração',
        markupPercent: '10',
        feeAmount: '35.00',
        alertEmail: 'ops@example.com',
        corsDomains: [],
      },
    ]);
    expect((await first.stop()).code).toBe(0);
    const late = {
      BOOTSTRAP_LIVE_KEY: 'sk_live_too-late-for-this',
      BOOTSTRAP_TEST_KEY: 'sk_test_too-late-for-this',
    };
    const second = startProcess({ ...environment, ...late });
    expect(await statuses(await second.ready(), keys)).toEqual([200, 200, 1]);
    expect(printedKeys(second.output.stdout)).toEqual({ live: [], test: [], operator: [] });
    const again = await paste(second.output.stdout, { ...late, TEST: keys.test });
    expect(again.map((output) => output.includes('"5000.00"'))).toEqual([true, true]);
    await second.stop();
  });
});

describe.runIf(real)('Processes on one PostgreSQL', () => {
  it('make one demo team when they start on an empty database at once', async () => {
    const place = await real!.allocate();
    try {
      const processes = [1, 2, 3].map(() => startProcess({ PORT: '0', ...place.settings }));
      await Promise.all(processes.map((process) => process.ready()));
      const client = new pg.Client({ connectionString: place.settings.DATABASE_URL });
      await client.connect();
      const { rows } = await client.query(
        'SELECT (SELECT count(*) FROM teams) + (SELECT count(*) FROM api_keys) AS rows',
      );
      await client.end();
      expect(Number(rows[0].rows)).toBe(4);
      const printed = processes.map(({ output }) => Object.values(printedKeys(output.stdout)).flat().length);
      expect(printed.sort()).toEqual([0, 0, 3]);
      await Promise.all(processes.map((process) => process.stop()));
    } finally {
      await place.release();
    }
  });

  describe.each([
    ['with Redis', {}],
    ['without Redis', { REDIS_URL: '' }],
  ])('%s', (_case, settings: Record<string, string>) => {
    let here: TestServer;
    let elsewhere: string;
    beforeAll(async () => {
      here = await startTestServer(real!, { settings });
      elsewhere = await startProcess(here.environment).ready();
    });
    afterAll(() => here.close());

    it('stop taking a key at both doors within a second of its revocation at one of them', async () => {
      const { teamId } = await here.createTeam();
      // Requests take long the first time, and a key that was read long before it is revoked is soon read again.
      for (const name of ['first', 'quick']) {
        const { id, secret } = await here.createKey({ kind: 'live', teamId, name });
        const answers = async () => [
          (await restRequest(elsewhere, 'GET', '/api/v1/wallet/balance', { key: secret })).status,
          (await graphqlDoor(elsewhere, '{ walletBalance { balance } }', null, secret)).status,
        ];
        expect(await answers()).toEqual([200, 200]);
        await here.graphql(`mutation { revokeApiKey(id: "${id}") { id } }`, null, here.keys.operator);
        await eventually(async () => (await answers()).every((status) => status === 401), 1_000);
        expect(await answers()).toEqual([401, 401]);
      }
    });

    it('take no key that was revoked while their machine was suspended', async () => {
      const { teamId } = await here.createTeam();
      const { id, secret } = await here.createKey({ kind: 'live', teamId });
      const status = async () => (await here.rest('GET', '/api/v1/wallet/balance', { key: secret })).status;
      expect(await status()).toBe(200);
      await graphqlDoor(elsewhere, `mutation { revokeApiKey(id: "${id}") { id } }`, null, here.keys.operator);
      onTestFinished(restoreMachineClock);
      setMachineClock(minuteMs);
      expect(await status()).toBe(401);
    });

    it('take a key that another one has just issued', async () => {
      const { teamId } = await here.createTeam();
      const { secret } = await here.createKey({ kind: 'live', teamId });
      const { status } = await restRequest(elsewhere, 'GET', '/api/v1/wallet/balance', { key: secret });
      expect(status).toBe(200);
    });
  });
});
