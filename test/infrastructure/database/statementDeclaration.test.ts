import { describe, expect, it } from 'vitest';
import { statement } from '../../../src/infrastructure/database/statement.ts';

describe('the declaration of a statement', () => {
  it('refuses a second text under the same name', () => {
    statement('test_declared', 'SELECT 1');
    expect(statement('test_declared', 'SELECT 1').text).toBe('SELECT 1');
    expect(() => statement('test_declared', 'SELECT 2')).toThrow('two statements are called test_declared');
  });

  it.each([
    ['SELECT 1', true],
    ['  with x AS (SELECT 1) SELECT * FROM x', true],
    ['SELECT deleted_at, updated_at FROM keys', true],
    ['SELECT 1 FROM t FOR UPDATE SKIP LOCKED', false],
    ['SELECT 1 FROM t FOR SHARE', false],
    ['WITH x AS (UPDATE t SET a = 1 RETURNING a) SELECT * FROM x', false],
    ['WITH x AS (INSERT INTO t VALUES (1) RETURNING a) SELECT * FROM x', false],
    ['WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x', false],
    ['WITH x AS (MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DO NOTHING) SELECT 1', false],
    ['SELECT pg_advisory_lock(1)', false],
    ["SELECT nextval('s')", false],
    ["SELECT set_config('a.b', '1', true)", false],
    ['INSERT INTO t SELECT 1', false],
  ])('%s shares a connection: %s', (text, shared) => {
    expect(statement(`test_${text}`, text).shared).toBe(shared);
  });
});
