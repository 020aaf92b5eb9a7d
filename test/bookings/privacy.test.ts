import { afterAll, beforeAll, expect, it } from 'vitest';
import { run, statement } from '../../src/infrastructure/database/statement.ts';
import { describeEngines } from '../harness/engines.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

/** Statements that PostgreSQL refuses, quoting what it was given. */
const refused = [
  statement('insert_impossible_booking', 'INSERT INTO people_of_test (name, age) VALUES ($1, -1)'),
  statement('read_impossible_json', `SELECT ('{"name":"' || $1 || '\\u0000"}')::json ->> 'name' AS name`),
];

describeEngines('Logged errors of the database', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
    await server.query('CREATE TABLE people_of_test (name text, age integer CHECK (age > 0))');
  });
  afterAll(() => server?.close());

  it.each(refused)('quote nobody’s particulars: $name', async (one) => {
    const { sequelize, log } = server.running.gateway.platform;
    const error = await run(sequelize, one, ['Ana Souza']).then(
      () => null,
      (fault: Error & { detail?: string; where?: string }) => fault,
    );
    expect(`${error?.detail} ${error?.where}`).toContain('Ana Souza');
    log.error({ err: error }, 'refused');
    const line = server.logLines.find(
      (text) => text.includes('"msg":"refused"') && text.includes(error!.message.slice(0, 20)),
    );
    expect(line).toContain('"code"');
    expect(line).not.toContain('Ana Souza');
  });
});
