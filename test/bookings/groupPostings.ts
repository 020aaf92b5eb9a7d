import { it } from 'vitest';
import { postBooking } from '../../src/domain/bookings/posting.ts';
import type { IdempotencyRow } from '../../src/domain/idempotency/keySql.ts';
import { AppError } from '../../src/errors.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import type { TestServer } from '../harness/server.ts';
import { bookingOf } from './writtenBookings.ts';

interface Wanted {
  walletId: number;
  amountCents: number;
  key?: string;
  /** Since when keys must have been stored to count; since ever unless said. */
  keysSince?: Date;
  /** By the clock of the process that writes it; now unless said. */
  at?: Date;
}

const keyOf = (key: string, keysSince = new Date(0)): IdempotencyRow => ({
  scope: 'groups',
  key,
  fingerprint: Buffer.from(key),
  outcome: JSON.stringify({ value: key }),
  createdAt: new Date(),
  oldest: keysSince,
});

/** Bookings that are posted at the same moment: the first of them goes alone, and the others together. */
export class Groups {
  readonly #server: () => TestServer;

  constructor(server: () => TestServer) {
    this.#server = server;
  }

  /** Posts all at once. @returns what became of each: written, or the code of its refusal. */
  async postAll(postings: Wanted[]): Promise<string[]> {
    const { platform } = this.#server().running.gateway;
    const bookings = await Promise.all(
      postings.map(({ walletId, ...wanted }) => bookingOf(this.#server(), walletId, wanted)),
    );
    return Promise.all(
      bookings.map((booking, index) => {
        const { key, keysSince } = postings[index] as Wanted;
        return postBooking(booking, key === undefined ? null : keyOf(key, keysSince), platform).then(
          () => 'written',
          (error) => (error instanceof AppError ? error.code : (error.code as string)),
        );
      }),
    );
  }

  /** How many bookings of a wallet each statement wrote, the largest first. */
  async sizes(walletId: number): Promise<number[]> {
    const rows = await this.#server().query<{ size: number }>(
      'SELECT count(*)::integer AS size FROM bookings WHERE wallet_id = $1 GROUP BY xmin ORDER BY size DESC',
      [walletId],
    );
    return rows.map(({ size }) => size);
  }

  async breaks() {
    return ledgerBreaks(this.#server().running.gateway.platform.sequelize);
  }

  /** What was said of groups that failed, but for those that were given up for waiting too long. */
  failed(): string[] {
    return this.#failures(false);
  }

  /**
   * A test that begins anew as long as a group was given up in it for waiting for its wallet for longer than a group does, as
   * on a machine that stands still: its bookings were posted alone, which says nothing of groups.
   */
  together<Values extends unknown[]>(
    test: (...values: Values) => Promise<void>,
  ): (...values: Values) => Promise<void> {
    return async (...values) => {
      for (;;) {
        const { length: before } = this.#failures(true);
        const [ended] = await Promise.allSettled([test(...values)]);
        if (this.#failures(true).length > before) continue;
        if (ended.status === 'rejected') throw ended.reason;
        return;
      }
    };
  }

  /** Declares such a test. */
  it(name: string, test: () => Promise<void>): void {
    it(name, this.together(test));
  }

  #failures(haveWaited: boolean): string[] {
    return this.#server().logLines.filter(
      (line) => line.includes('not written together') && line.includes('"code":"55P03"') === haveWaited,
    );
  }
}
