import type { Sequelize } from 'sequelize';
import { expect, it, vi } from 'vitest';
import { run, statement } from '../../../src/infrastructure/database/statement.ts';
import { eventually } from '../../harness/client.ts';
import { addOne, poolOf, readValue } from './statements.ts';

const addAndReturn = statement('test_add_and_return', 'INSERT INTO things VALUES ($1, 0) RETURNING *');
const missingPrepared = statement('test_missing_prepared', 'EXECUTE nobody_prepared_this');
const readEverything = statement('test_read_everything', 'SELECT * FROM things ORDER BY id');

/** What becomes of statements with their connections, as part of what is told of statements on a store. */
export function describeConnections(sequelize: () => Sequelize): void {
  it('gives a connection that is kept for reads to whoever needs one', async () => {
    // It would be given back by a timer otherwise.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const everyone = Array.from({ length: 3 * poolOf(sequelize()).maxSize }, async () => {
        await run(sequelize(), readValue, [1]);
        await run(sequelize(), addOne, [2]);
      });
      await Promise.all(everyone);
      expect(await run(sequelize(), readValue, [2])).toEqual([{ value: `${200 + everyone.length}` }]);
    } finally {
      await vi.advanceTimersByTimeAsync(1_000);
      vi.useRealTimers();
    }
  });

  it.each([
    ['read', readEverything, [], { id: 1, value: '100', extra: 7 }],
    ['write', addAndReturn, [3], { id: 3, value: '0', extra: 7 }],
  ])(
    'runs a %s whose columns a migration changed, on however many connections',
    async (_, changed, values, row) => {
      await poolOf(sequelize()).destroyAllNow();
      const connections = poolOf(sequelize()).maxSize;
      // Each transaction holds a connection until all have one, and each has seen the statements.
      let arrived = 0;
      let allHere: () => void = () => undefined;
      const together = new Promise<void>((resolve) => {
        allHere = resolve;
      });
      await Promise.all(
        Array.from({ length: connections }, (_, index) =>
          sequelize().transaction(async () => {
            await run(sequelize(), readEverything, []);
            await run(sequelize(), addAndReturn, [10 + index]);
            arrived += 1;
            if (arrived === connections) allHere();
            await together;
          }),
        ),
      );
      await sequelize().query('DELETE FROM things WHERE id >= 10');
      await sequelize().query('ALTER TABLE things ADD COLUMN extra int DEFAULT 7');
      expect((await run(sequelize(), changed, values))[0]).toEqual(row);
    },
  );

  it('fails a transaction on a connection whose statement is outdated, and not the next one', async () => {
    await poolOf(sequelize()).destroyAllNow();
    const read = () => sequelize().transaction(() => run(sequelize(), readEverything, []));
    await read();
    await sequelize().query('ALTER TABLE things ADD COLUMN extra int DEFAULT 7');
    await expect(read()).rejects.toMatchObject({ code: '0A000' });
    expect((await read())[0]).toEqual({ id: 1, value: '100', extra: 7 });
  });

  it.each([
    ['read', readValue, '100'],
    ['write', addOne, '101'],
  ])('runs a %s that the server has forgotten', async (_, forgotten, value) => {
    await poolOf(sequelize()).destroyAllNow();
    await sequelize().transaction(async () => {
      await run(sequelize(), readValue, [1]);
      await run(sequelize(), addOne, [2]);
      await sequelize().query('DEALLOCATE ALL');
    });
    expect(await run(sequelize(), forgotten, [1])).toEqual([{ value }]);
  });

  it('ends its tries when no connection knows the statement', async () => {
    await expect(run(sequelize(), missingPrepared, [])).rejects.toMatchObject({ code: '26000' });
    expect(await run(sequelize(), readValue, [1])).toEqual([{ value: '100' }]);
  });

  it('runs on a new connection when the pool let the old ones go', async () => {
    expect(await run(sequelize(), readValue, [1])).toEqual([{ value: '100' }]);
    await poolOf(sequelize()).destroyAllNow();
    expect(await run(sequelize(), readValue, [1])).toEqual([{ value: '100' }]);
    expect(await run(sequelize(), addOne, [1])).toEqual([{ value: '101' }]);
  });

  it('reads on another connection when the one that is kept breaks', async () => {
    await run(sequelize(), readValue, [1]);
    const pool = poolOf(sequelize());
    expect(pool.using).toBe(1);
    for (const { resource } of pool._inUseObjects) resource.connection.stream.destroy();
    await eventually(() => pool.using === 0);
    expect(await run(sequelize(), readValue, [1])).toEqual([{ value: '100' }]);
    expect(pool.using).toBe(1);
  });

  it.each([
    ['read', readValue, '200'],
    ['write', addOne, '201'],
  ])(
    'gives up a connection that breaks under a %s, and the next caller gets another',
    async (_, hit, after) => {
      await run(sequelize(), readValue, [1]);
      const pool = poolOf(sequelize());
      await eventually(() => pool.using === 0);
      const working = run(sequelize(), hit, [1]);
      for (let turn = 0; turn < 100 && pool.using === 0; turn += 1) await Promise.resolve();
      expect(pool.using).toBe(1);
      // The statement is on its way when the connection goes.
      await Promise.resolve();
      for (const { resource } of pool._inUseObjects) resource.connection.stream.destroy();
      await expect(working).rejects.toThrow('Connection terminated unexpectedly');
      expect(await run(sequelize(), hit, [2])).toEqual([{ value: after }]);
    },
  );
}
