import { describe, expect, it } from 'vitest';
import { retryOnDeadlock } from '../../../src/infrastructure/database/statement.ts';
import { transactionContext } from '../../../src/infrastructure/database/transactionContext.ts';

describe('a second try after a deadlock', () => {
  const failing = (error: object, times: number) => {
    let calls = 0;
    return {
      calls: () => calls,
      work: async () => {
        calls += 1;
        if (calls <= times) throw error;
        return 'done';
      },
    };
  };

  it.each([
    ['a deadlock', { code: '40P01' }],
    ['a serialization failure', { code: '40001' }],
    ['a deadlock that Sequelize wrapped', { original: { code: '40P01' } }],
  ])('happens once after %s', async (_, error) => {
    const once = failing(error, 1);
    expect(await retryOnDeadlock(once.work)).toBe('done');
    const twice = failing(error, 2);
    await expect(retryOnDeadlock(twice.work)).rejects.toBe(error);
    expect(twice.calls()).toBe(2);
  });

  it('does not happen after any other error', async () => {
    const other = failing({ code: '23505' }, 1);
    await expect(retryOnDeadlock(other.work)).rejects.toEqual({ code: '23505' });
    expect(other.calls()).toBe(1);
  });

  it('is left to whoever opened the transaction, of which nothing is left to go on in', async () => {
    const once = failing({ code: '40P01' }, 1);
    const outcome = await new Promise((resolve) => {
      transactionContext.run(() => {
        transactionContext.set('transaction', {});
        retryOnDeadlock(once.work).then(resolve, resolve);
      });
    });
    expect(outcome).toEqual({ code: '40P01' });
    expect(once.calls()).toBe(1);
  });
});
