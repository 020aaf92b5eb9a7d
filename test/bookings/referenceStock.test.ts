import { describe, expect, it } from 'vitest';
import { ReferenceStock } from '../../src/domain/bookings/referenceStock.ts';

describe('References that are drawn ahead', () => {
  const drawn = (from: number) => Array.from({ length: 4 }, (_, place) => `R${from + place}`);
  const several = (stock: ReferenceStock, count: number) =>
    Promise.allSettled(Array.from({ length: count }, () => stock.next()));
  const givenOf = (results: PromiseSettledResult<string>[]) =>
    results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));

  it('are each given out once, and drawn once for all who wait', async () => {
    let draws = 0;
    const stock = new ReferenceStock(2, async () => drawn(4 * draws++));
    const given = givenOf(await several(stock, 10));
    expect([given.length, new Set(given).size]).toEqual([10, 10]);
    expect(draws).toBe(3);
  });

  it('that are left are given out while no more can be had, and more as soon as they can', async () => {
    let draws = 0;
    let fault: Error | null = null;
    const stock = new ReferenceStock(2, async () => {
      if (fault) throw fault;
      return drawn(4 * draws++);
    });
    expect(givenOf(await several(stock, 1))).toHaveLength(1);
    fault = new Error('the database is away');
    const results = await several(stock, 5);
    expect(givenOf(results)).toHaveLength(3);
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([
      { status: 'rejected', reason: fault },
      { status: 'rejected', reason: fault },
    ]);
    fault = null;
    expect(givenOf(await several(stock, 5))).toHaveLength(5);
  });
});
