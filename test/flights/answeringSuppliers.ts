import { simulatedSupplier } from '../../src/infrastructure/flights/simulated/simulatedSupplier.ts';
import type { FlightSupplier, SupplierOffer } from '../../src/infrastructure/flights/supplier.ts';
import { ManualClock } from '../harness/manualClock.ts';

export type Answer = FlightSupplier['search'];

const world = simulatedSupplier(new ManualClock(new Date('2026-11-17T12:00:00.000Z')));

/** The first few offers of the simulated world, each so much dearer. */
export const offering =
  (count: number, change: (offer: SupplierOffer) => SupplierOffer = (offer) => offer): Answer =>
  async (search, options) =>
    (await world.search(search, options)).slice(0, count).map(change);

export const priced =
  (currency: SupplierOffer['currency'], totalAmount: string) => (offer: SupplierOffer) => ({
    ...offer,
    currency,
    totalAmount,
  });

/** Suppliers that answer searches as a test has it, and what they were asked with. */
export class AnsweringSuppliers {
  readonly asked: { signal: AbortSignal }[] = [];
  answers: Record<'one' | 'other', Answer> = { one: async () => [], other: async () => [] };

  named(name: 'one' | 'other', prepare = () => {}): FlightSupplier {
    return {
      name,
      prepare,
      orders: world.orders,
      search: (search, options) => {
        this.asked.push(options);
        return this.answers[name](search, options);
      },
    };
  }
}
