import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { ledgerChecks } from '../../src/domain/ledgerVerification.ts';
import { openDatabase } from '../../src/infrastructure/database/database.ts';
import type { Build } from '../harness/builtServer.ts';
import { buildServer } from '../harness/builtServer.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { silentLog } from '../harness/silentLog.ts';

let build: Build;
beforeAll(async () => {
  build = await buildServer();
});
afterAll(() => build?.remove());

/** Changes rows of a store whose server may be gone. */
async function changeRows(environment: Record<string, string>, sql: string): Promise<void> {
  const database = await openDatabase(readSettings(environment), [], silentLog);
  await database.sequelize.query(sql);
  await database.close();
}

it('verifies no store that is not there, and makes none', async () => {
  const dataDir = join(tmpdir(), `embarque-none-${process.pid}`);
  const { code, stdout, stderr } = await build.verifyLedger({ DATA_DIR: dataDir });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe(`Not verified: there is no store in DATA_DIR ${dataDir}\n`);
  expect(existsSync(dataDir)).toBe(false);
});

it('does not say that no store is there when it cannot tell', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'embarque-'));
  try {
    await writeFile(join(dataDir, 'postgres'), 'no folder');
    const { code, stdout, stderr } = await build.verifyLedger({ DATA_DIR: dataDir });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(`Not verified: DATA_DIR ${dataDir}: ENOTDIR: not a directory`);
    expect(await readdir(dataDir)).toEqual(['postgres']);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

it('says which setting is wrong', async () => {
  const { code, stderr } = await build.verifyLedger({ DATABASE_URL: 'mysql://127.0.0.1/x' });
  expect(code).toBe(2);
  expect(stderr).toBe(
    'Not verified: Wrong settings: DATABASE_URL: must start with postgres:// or postgresql://\n',
  );
});

it('takes no options', async () => {
  const { code, stdout, stderr } = await build.verifyLedger({}, '--fast');
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: 'Not verified: there is no option --fast\n',
  });
});

describeEngines('npm run ledger:verify', (engine) => {
  let server: TestServer;
  let wallets: { id: number }[];

  beforeAll(async () => {
    server = await startTestServer(engine, { forgesEvents: true });
    wallets = await server.query<{ id: number }>('SELECT id FROM wallets ORDER BY mode');
    for (const [index, key] of [server.keys.live, server.keys.test].entries()) {
      const created = await server.rest('POST', '/api/v1/wallet/recharge', {
        key,
        body: { amount: '100.00', currency: 'BRL', payment_method: 'pix' },
      });
      const path = index === 0 ? '/simulator/recharges' : '/api/v1/test_helpers/recharges';
      await server.rest('POST', `${path}/${created.body.data.id}/pay`, { key });
    }
  });
  afterAll(() => server?.close());

  /** PostgreSQL is verified while the server works; the embedded store can only be looked at between two servers. */
  async function freeStore(): Promise<void> {
    if (engine.name !== 'embedded') return;
    onTestFinished(() => server.restart());
    await server.running.close();
  }

  /** Changes rows, and changes them back when the test has ended. */
  async function changeRowsForNow(sql: string, back: string): Promise<void> {
    onTestFinished(() => changeRows(server.environment, back));
    await changeRows(server.environment, sql);
  }

  if (engine.name === 'embedded') {
    it('is refused while a server has the embedded store', async () => {
      const { code, stdout, stderr } = await build.verifyLedger(server.environment);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(
        /^Not verified: DATA_DIR \S+ is in use by another process \(process \d+ on \S+\): stop it or .+\n$/,
      );
    });
  }

  it('asks for no setting but those of the store', async () => {
    await freeStore();
    const { DATA_DIR = '', DATABASE_URL = '' } = server.environment;
    const verified = await build.verifyLedger({ DATA_DIR, DATABASE_URL, PORT: 'none' });
    expect(verified).toMatchObject({ code: 0, stderr: '' });
  });

  it('says of each invariant that it holds, then finds the first that does not', async () => {
    const [live, test] = wallets;
    const changed = (addedCents: number, teamId: string) => `SET session_replication_role = replica;
      UPDATE wallet_days SET credit_cents = credit_cents + ${addedCents} WHERE wallet_id = ${live?.id};
      UPDATE events SET team_id = ${teamId} WHERE wallet_id = ${test?.id};
      RESET session_replication_role`;
    await freeStore();
    const sound = await build.verifyLedger(server.environment);
    expect(sound).toEqual({
      code: 0,
      stderr: '',
      stdout: `${ledgerChecks.map(({ name }) => `ok      ${name}\n`).join('')}The ledger is sound: ${ledgerChecks.length} invariants hold.\n`,
    });
    const ownTeam = `(SELECT team_id FROM wallets WHERE id = ${test?.id})`;
    await changeRowsForNow(changed(1, "'team_other'"), changed(-1, ownTeam));
    const broken = await build.verifyLedger(server.environment);
    const place = ledgerChecks.findIndex(({ name }) => name.startsWith('each day closes'));
    expect({ code: broken.code, stderr: broken.stderr }).toEqual({ code: 1, stderr: '' });
    expect(broken.stdout.split('\n')).toEqual([
      ...ledgerChecks.slice(0, place).map(({ name }) => `ok      ${name}`),
      `BROKEN  ${ledgerChecks[place]?.name}`,
      expect.stringMatching(
        `^ {8}wallet ${live?.id} closes \\d{4}-\\d\\d-\\d\\d with \\(1,0,10001,0\\), its entries give \\(1,0,10000,0\\)$`,
      ),
      '',
    ]);
  });

  if (engine.name !== 'embedded') {
    it('says that a database is of another version', async () => {
      const rename = (from: string, to: string) => `ALTER TABLE ${from} RENAME TO ${to}`;
      await changeRowsForNow(rename('wallet_entries', 'entries'), rename('entries', 'wallet_entries'));
      const { code, stderr } = await build.verifyLedger(server.environment);
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /^Not verified: the database is not of this version, .*"wallet_entries" does not exist\)\n$/,
      );
    });
  }
});
