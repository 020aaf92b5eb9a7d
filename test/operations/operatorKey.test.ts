import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Build, BuiltServer } from '../harness/builtServer.ts';
import { allocateStore, buildServer } from '../harness/builtServer.ts';
import { describeEngines } from '../harness/engines.ts';

let build: Build;
beforeAll(async () => {
  build = await buildServer();
});
afterAll(() => build?.remove());

it('issues no key for a store that is not there', async () => {
  const dataDir = join(tmpdir(), `embarque-none-${process.pid}`);
  expect(await build.issueOperatorKey({ DATA_DIR: dataDir }, 'Maria')).toEqual({
    code: 2,
    stdout: '',
    stderr: `Not issued: there is no store in DATA_DIR ${dataDir}\n`,
  });
});

describeEngines('npm run operator:key', (engine) => {
  let store: Awaited<ReturnType<typeof allocateStore>>;
  let server: BuiltServer;
  beforeAll(async () => {
    store = await allocateStore(engine);
    server = await build.start(store.environment);
  });
  afterAll(async () => {
    await server?.stop();
    await store?.release();
  });

  async function keyNames(key: string): Promise<string[]> {
    const answer = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ apiKeys { name } }' }),
    });
    const { data } = (await answer.json()) as { data: { apiKeys: { name: string }[] } };
    return data.apiKeys.map(({ name }) => name);
  }

  it('issues a key to whoever has lost all', async () => {
    // Only one process has the embedded store.
    if (engine.name === 'embedded') await server.stop();
    for (const noName of [[], ['--help']]) {
      expect(await build.issueOperatorKey(store.environment, ...noName)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/^Not issued: name the key/),
      });
    }
    const { DATA_DIR = '', DATABASE_URL = '' } = store.environment;
    const place = { DATA_DIR, DATABASE_URL };
    const { code, stdout, stderr } = await build.issueOperatorKey(place, 'Maria', 'Silva');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^key_\w{26}: shown this once\n$/)]);
    expect(stdout).toMatch(/^sk_admin_[\w-]{43}\n$/);
    if (engine.name === 'embedded') server = await build.start(store.environment);
    expect(await keyNames(stdout.trim())).toContain('Maria Silva');
  });

  if (engine.name !== 'embedded') {
    it('says that a database is of another version', async () => {
      // A schema that nobody has migrated.
      const { DATABASE_URL = '', ...others } = store.environment;
      const place = new URL(DATABASE_URL);
      place.searchParams.set('options', '-c search_path=pg_temp');
      const { code, stderr } = await build.issueOperatorKey({ ...others, DATABASE_URL: place.href }, 'Maria');
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /^Not issued: the database is not of this version, .*"api_keys" does not exist\)\n$/,
      );
    });
  }
});
