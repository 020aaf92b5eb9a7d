import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Build, BuiltServer } from '../harness/builtServer.ts';
import { allocateStore, buildServer } from '../harness/builtServer.ts';
import type { Json } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { startLossyLink } from '../harness/lossyLink.ts';

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

  async function ask(key: string, query: string, { url } = server) {
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return ((await answer.json()) as { data: Json }).data;
  }

  async function keyNames(key: string): Promise<string[]> {
    const { apiKeys } = await ask(key, '{ apiKeys { name } }');
    return apiKeys.map(({ name }: Json) => name);
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

  it('makes a store that no server has begun one with keys: it gets no demo team', async () => {
    const begun = await allocateStore(engine);
    try {
      const { stdout } = await build.issueOperatorKey(begun.environment, 'Maria');
      const first = await build.start(begun.environment);
      try {
        expect(await ask(stdout.trim(), '{ teams { items { id } } apiKeys { name } }', first)).toEqual({
          teams: { items: [] },
          apiKeys: [{ name: 'Maria' }],
        });
      } finally {
        await first.stop();
      }
    } finally {
      await begun.release();
    }
  });

  if (engine.name !== 'embedded') {
    it('tells of a key that is there, though nobody heard of it, which one to revoke', async () => {
      const link = await startLossyLink(new URL(store.environment.DATABASE_URL ?? ''));
      try {
        link.loseAnswerTo('INSERT INTO "api_keys"');
        const { DATA_DIR = '' } = store.environment;
        const { code, stdout, stderr } = await build.issueOperatorKey(
          { DATA_DIR, DATABASE_URL: link.url },
          'Lost',
        );
        expect([code, stdout]).toEqual([2, '']);
        expect(stderr).toMatch(
          /^Perhaps issued, and shown to nobody: Connection terminated unexpectedly\nLook for key_\w{26} with .+\n$/,
        );
        const id = /key_\w+/.exec(stderr)?.[0];
        const { operator } = store.keys;
        const { apiKeys } = await ask(operator, '{ apiKeys { id name } }');
        expect(apiKeys).toContainEqual({ id, name: 'Lost' });
        const { revokeApiKey } = await ask(operator, `mutation { revokeApiKey(id: "${id}") { id } }`);
        expect(revokeApiKey).toEqual({ id });
      } finally {
        link.close();
      }
    });

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
