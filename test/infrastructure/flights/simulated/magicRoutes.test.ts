import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { simulatedSupplier } from '../../../../src/infrastructure/flights/simulated/simulatedSupplier.ts';
import { ManualClock } from '../../../harness/manualClock.ts';
import { dayAfter, offers, supplierSearch } from './searches.ts';

const inTest = (pair: string, ...more: string[]) => offers({ slices: [pair, ...more], testMode: true });
const inLive = (pair: string) => offers({ slices: [pair] });
const signal = () => new AbortController().signal;

describe('magic routes', () => {
  it('PVD-RAI has no offers with a test key', async () => {
    expect(await inTest('PVD-RAI')).toEqual([]);
    expect((await inLive('PVD-RAI')).length).toBeGreaterThan(0);
  });

  it('LHR-DXB has connections only', async () => {
    const stops = (found: Awaited<ReturnType<typeof inLive>>) =>
      found.map((offer) => offer.slices[0]!.segments.length);
    const magic = await inTest('LHR-DXB');
    expect(magic.length).toBeGreaterThan(20);
    expect(Math.min(...stops(magic))).toBe(2);
    expect(Math.min(...stops(await inLive('LHR-DXB')))).toBe(1);
  });

  it('BTS-MRU has no bags', async () => {
    const bags = (found: Awaited<ReturnType<typeof inLive>>) =>
      found.flatMap((offer) =>
        offer.slices.flatMap((s) => s.segments.flatMap((g) => g.passengers.flatMap((p) => p.baggages))),
      );
    const magic = await inTest('BTS-MRU');
    expect(magic.length).toBeGreaterThan(0);
    expect(bags(magic)).toEqual([]);
    expect(bags(await inLive('BTS-MRU')).length).toBeGreaterThan(0);
  });

  it('JFK-EWR can always be held, even tomorrow, and does not exist outside the sandbox', async () => {
    for (const days of [1, 3, 30]) {
      const magic = await inTest(`JFK-EWR ${dayAfter(days)}`);
      expect(magic.length).toBeGreaterThan(20);
      for (const { payment, slices } of magic) {
        expect(payment.requiresInstantPayment).toBe(false);
        if (payment.requiresInstantPayment) continue;
        expect(payment.paymentRequiredBy.getTime()).toBeGreaterThan(Date.parse('2026-11-20T15:00:00Z'));
        const first = slices[0]!.segments[0]!.flight;
        const leaves = DateTime.fromISO(first.departingAt, { zone: first.origin.timeZone }).toMillis();
        expect(payment.paymentRequiredBy.getTime()).toBeLessThan(leaves);
      }
    }
    expect((await inTest(`JFK-EWR ${dayAfter(30)}`, `EWR-JFK ${dayAfter(33)}`)).length).toBeGreaterThan(20);
    expect(await inLive('JFK-EWR')).toEqual([]);
  });

  it('STN-LHR does not answer until it is cut off, with the reason of the cut', async () => {
    const supplier = simulatedSupplier(new ManualClock());
    const controller = new AbortController();
    const reason = new Error('cut');
    const answer = supplier.search(supplierSearch({ slices: ['STN-LHR'], testMode: true }), {
      signal: controller.signal,
    });
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    expect(await inLive('STN-LHR')).toEqual([]);
  });

  it('means these airports, not their cities', async () => {
    const cities = await inTest('LON-DXB');
    expect(cities.some((offer) => offer.slices[0]!.segments.length === 1)).toBe(true);
  });

  it('asks nothing of a supplier that is already cut off', async () => {
    const supplier = simulatedSupplier(new ManualClock());
    const reason = new Error('cut');
    await expect(
      supplier.search(supplierSearch({ slices: ['GRU-GIG'] }), { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    expect(
      (await supplier.search(supplierSearch({ slices: ['GRU-GIG'] }), { signal: signal() })).length,
    ).toBeGreaterThan(0);
  });
});
