import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';
import { keptEntry } from '../keptEntry.ts';

/** How often an operation was admitted, and how often its caller was refused, since the counter was last asked. */
export interface Tally {
  admitted: number;
  refused: number;
}

/** Root GraphQL operations by outcome, put into Prometheus' counter when it is asked for. */
export class OperationTallies {
  readonly #tallies = new Map<string, Tally>();

  constructor(registry: Registry) {
    const tallies = this.#tallies;
    new Counter({
      name: 'embarque_operations_total',
      help: 'Root GraphQL operations admitted or refused, from either door',
      labelNames: ['operation', 'outcome'],
      registers: [registry],
      collect() {
        for (const [operation, tally] of tallies) {
          for (const outcome of ['admitted', 'refused'] as const) {
            if (tally[outcome] > 0) this.inc({ operation, outcome }, tally[outcome]);
            tally[outcome] = 0;
          }
        }
      },
    });
  }

  of(operation: string): Tally {
    return keptEntry(this.#tallies, operation, () => ({ admitted: 0, refused: 0 }));
  }
}
