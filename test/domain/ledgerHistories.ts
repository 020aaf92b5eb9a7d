import fc from 'fast-check';
import { formatAmount } from '../../src/domain/money.ts';
import { dayMs, minuteMs } from '../harness/testClock.ts';
import type { Door } from './ledgerDoors.ts';

export interface Step {
  kind: 'create' | 'pay' | 'payInTime' | 'debit' | 'cancel' | 'expire' | 'fail' | 'read' | 'balance' | 'list';
  door: Door;
  /** Which of the wallet's recharges, or of another's. */
  target: number;
  trespass: boolean;
  amount: string;
  debitCents: bigint;
  method: 'pix' | 'boleto';
  /** Requests with the same Idempotency-Key at once. */
  copies: number;
}

export interface Filter {
  type: 'credit' | 'debit' | null;
  /** Days from the run's first. */
  from: number | null;
  to: number | null;
  limit: number;
  door: Door;
}

/** Steps in several wallets, all under way together, after time has passed. */
export interface Batch {
  advanceMs: number;
  steps: { wallet: number; step: Step }[];
  sweep: boolean;
}

const doors = fc.constantFrom<Door>('rest', 'graphql');

const steps: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constant('create' as const) },
    { weight: 3, arbitrary: fc.constant('pay' as const) },
    { weight: 4, arbitrary: fc.constantFrom(...(['payInTime', 'debit'] as const)) },
    {
      weight: 5,
      arbitrary: fc.constantFrom(...(['cancel', 'expire', 'fail', 'read', 'balance', 'list'] as const)),
    },
  ),
  door: doors,
  target: fc.nat(6),
  trespass: fc.integer({ min: 0, max: 14 }).map((number) => number === 0),
  amount: fc.oneof(
    { weight: 4, arbitrary: fc.bigInt({ min: 100_00n, max: 900_00n }).map(formatAmount) },
    { weight: 3, arbitrary: fc.constantFrom('50000.00', '49999.99', '25000.0', '33333.33') },
    { weight: 1, arbitrary: fc.constantFrom('99.99', '50000.01', '0') },
  ),
  debitCents: fc.bigInt({ min: 1n, max: 400_00n }),
  method: fc.constantFrom('pix', 'boleto'),
  copies: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constantFrom(2, 3) }),
});

const batches: fc.Arbitrary<Batch> = fc.record({
  // Another server's clock may be behind.
  advanceMs: fc.constantFrom(0, -minuteMs, minuteMs, 20 * minuteMs, 31 * minuteMs, dayMs, 5 * dayMs),
  steps: fc.array(fc.record({ wallet: fc.nat(2), step: steps }), { minLength: 1, maxLength: 9 }),
  sweep: fc.boolean(),
});

const filters: fc.Arbitrary<Filter> = fc.record({
  type: fc.constantFrom('credit', 'debit', null),
  from: fc.option(fc.integer({ min: -1, max: 8 })),
  to: fc.option(fc.integer({ min: -1, max: 8 })),
  limit: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom(20, 100)),
  door: doors,
});

export const history = fc.record({
  batches: fc.array(batches, { minLength: 1, maxLength: 6 }),
  filters: fc.array(filters, { minLength: 3, maxLength: 3 }),
});
