import { afterAll, beforeAll, expect, it } from 'vitest';
import { allocateStore, type Build, buildServer } from '../harness/builtServer.ts';
import { graphqlDoor } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { startLossyLink } from '../harness/lossyLink.ts';
import { useServerProcesses } from '../harness/serverProcess.ts';

describeSeveralSessions('a process whose connection breaks in a transaction', (engine) => {
  const start = useServerProcesses();
  let build: Build;
  let store: Awaited<ReturnType<typeof allocateStore>>;
  let link: Awaited<ReturnType<typeof startLossyLink>>;
  let environment: Record<string, string>;
  beforeAll(async () => {
    build = await buildServer();
    store = await allocateStore(engine);
    link = await startLossyLink(new URL(store.environment.DATABASE_URL ?? ''));
    environment = { ...store.environment, DATABASE_URL: link.url };
  });
  afterAll(async () => {
    build?.remove();
    link?.close();
    await store?.release();
  });

  it('logs why in JSON, and has nothing else to say', async () => {
    const server = start({ ...environment, ROLES: 'api' });
    const url = await server.ready();
    const before = server.output.stdout.length;
    const issue = () =>
      graphqlDoor(
        url,
        'mutation { createApiKey(input: { kind: operator, name: "Maria" }) { secret } }',
        null,
        store.keys.operator,
      );
    for (const statement of ['START TRANSACTION', 'INSERT INTO "api_keys"', 'COMMIT']) {
      link.loseAnswerTo(statement);
      const { body } = await issue();
      expect([statement, body.errors?.[0].extensions.code]).toEqual([statement, 'INTERNAL_ERROR']);
    }
    expect((await issue()).body.errors).toBeUndefined();
    await server.stop();
    const lines = server.output.stdout.slice(before).trim().split('\n');
    const told = lines.map((line) => JSON.parse(line)).filter(({ err }) => err);
    expect(told.length).toBeGreaterThanOrEqual(3);
    expect(server.output.stderr).toBe('');
  });

  it.each(['SET TRANSACTION ISOLATION LEVEL', 'SET LOCAL'])(
    'says nothing before its own words where it is a command: %s',
    async (statement) => {
      link.loseAnswerTo(statement);
      const { code, stderr } = await build.verifyLedger(environment);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^Not verified: .*terminated.*\n$/);
    },
  );
});
