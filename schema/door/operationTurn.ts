import type { RequestContext } from '../../src/domain/admission.ts';
import type { Turns } from '../../src/infrastructure/turns.ts';
import type { RootTurn } from '../operation.ts';
import { checkRoom } from './answerSize.ts';

/**
 * The turn of one query among the operations of a batch. All of them look up at once what they ask for, which may take
 * suppliers seconds; what they have found is put together operation by operation, which may take the process half a
 * second each. Others are served in between, and of what the answer has no room for nothing is put together.
 */
export class OperationTurn implements RootTurn {
  readonly #turns: Turns;
  readonly #context: RequestContext;
  #taken: Promise<() => void> | null = null;

  /** @param turns those of the batch. */
  constructor(turns: Turns, context: RequestContext) {
    this.#turns = turns;
    this.#context = context;
  }

  inTurn<Found>(find: () => Found | Promise<Found>): Promise<Found> {
    return this.#onceTaken(find());
  }

  async #onceTaken<Found>(found: Found | Promise<Found>): Promise<Found> {
    const value = await found;
    this.#taken ??= this.#turns.take('batch', null);
    await this.#taken;
    checkRoom(this.#context);
    return value;
  }

  /** To be called once what answers the operation is written. */
  async end(): Promise<void> {
    if (this.#taken) setImmediate(await this.#taken);
  }
}
