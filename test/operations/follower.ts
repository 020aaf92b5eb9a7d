import { eventually, type Json } from '../harness/client.ts';
import { allEvents, type Subscriber, type Transport } from '../harness/subscribers.ts';

/** A subscriber that comes back after each end, with the last id that it has seen, to whichever process serves. */
export class Follower {
  readonly #seen: string[] = [];
  #current: Subscriber | null = null;
  #isOver = false;
  readonly #done: Promise<void>;

  /** @param after the id of the latest event that it is not to see. */
  constructor(transport: Transport, key: string, after: string, urlOf: () => Promise<string>) {
    this.#done = this.#follow(transport, key, after, urlOf);
  }

  /** Ids in the order in which they came, over all its connections. */
  get seen(): string[] {
    return [...this.#seen, ...this.#told()];
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.#current?.cut();
    await this.#done;
  }

  #told(): string[] {
    return (this.#current?.events ?? []).map(({ id }: Json) => id);
  }

  async #follow(
    transport: Transport,
    key: string,
    first: string,
    urlOf: () => Promise<string>,
  ): Promise<void> {
    while (!this.#isOver) {
      const url = await urlOf();
      const after = this.#seen.at(-1) ?? first;
      const current = transport.subscribe(url, { key, query: allEvents, variables: { after } });
      this.#current = current;
      await eventually(() => current.end !== null || this.#isOver, Number.POSITIVE_INFINITY);
      this.#seen.push(...this.#told());
      this.#current = null;
      current.cut();
    }
  }
}
