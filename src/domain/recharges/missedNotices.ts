import { setImmediate as nextTurn } from 'node:timers/promises';
import { askWithin, untilAborted } from '../../infrastructure/cutOff.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { turnIsDueSql } from '../../infrastructure/database/turnIsDue.ts';
import type { NotificationPage, PaymentNotification } from '../../infrastructure/payments/provider.ts';
import { noTurn } from '../../infrastructure/sweeper.ts';
import { isPrintableName } from '../../infrastructure/text/printableName.ts';
import type { Platform } from '../platform.ts';
import type { NoticeOutcome } from './paymentNotices.ts';
import { receiveNotifications, SenselessNotification } from './paymentNotices.ts';

/** Between asking a provider what it knows, in milliseconds. */
const pauseMs = 10 * 60_000;

/** How far one asking reaches behind the one before: lists lag behind what they list, and clocks differ. */
const overlapMs = 60 * 60_000;

/**
 * How far the first asking reaches back at most, and those that hear nothing but what makes no sense: longer than a boleto can
 * be paid, and than it may take to mend an adapter.
 */
const reachMs = 14 * 24 * 60 * 60_000;

/** Clocks of workers may differ by as much without one being wrong: many times what SharedClock tolerates. */
const clockDifference = `interval '1 minute'`;

const latestTurn = `$4::timestamptz + ${clockDifference}`;

/**
 * Whoever takes the turn puts off the next one. Nothing is written while none is due. The first asking begins with the first
 * recharge: what an account had been paid before is none of ours. Of a turn that was taken by a clock that was wrong nobody
 * knows until when it was really heard.
 */
const takeTurn = statement<{ heard_until: Date }>(
  'take_payment_lookup',
  `INSERT INTO payment_lookups AS l (provider, heard_until, due_at)
   SELECT $1, CASE WHEN EXISTS (SELECT FROM payment_lookups WHERE provider = $1) THEN $3 ELSE
            greatest($2, coalesce((SELECT min(created_at) FROM recharges WHERE provider = $1), $3)) END, $4
    WHERE NOT EXISTS (SELECT FROM payment_lookups WHERE provider = $1 AND NOT ${turnIsDueSql('due_at', '$3', latestTurn)})
   ON CONFLICT (provider) DO UPDATE
      SET due_at = excluded.due_at,
          heard_until = CASE WHEN l.heard_until > $3::timestamptz + ${clockDifference} THEN $2 ELSE l.heard_until END
    WHERE ${turnIsDueSql('l.due_at', '$3', latestTurn)}
   RETURNING heard_until`,
);

const moveOn = statement(
  'end_payment_lookup',
  'UPDATE payment_lookups SET heard_until = greatest(heard_until, $2) WHERE provider = $1',
);

const givenUp =
  'payment notifications that make no sense: what the provider knew before is asked for no more; compare its statement with the recharges';

/** Of those that are given up, so many are told one by one: enough to see what is wrong with them, in a line of bounded length. */
const mostToldFaults = 50;

/** Pages in a row of which nothing can be told from anything else: more than a list without an end should be asked for. */
const mostNamelessPages = 100;

/** Empty pages in a row: some lists have many, where they are made of others by leaving out. */
const mostEmptyPages = 10_000;

/** What tells a notification from others, of whatever an adapter makes it; empty where nothing does. */
function nameOf(told: PaymentNotification): string {
  try {
    const { rechargeId, outcome, providerReference, paidAt, amountCents } = told;
    if (!isPrintableName(providerReference)) return '';
    return [rechargeId, outcome, providerReference, paidAt, amountCents].map(String).join(' ');
  } catch {
    return '';
  }
}

/** Sees when a provider pays no heed to the name of a page, and gives the same one under each. */
class PageMemory {
  readonly #provider: string;
  #told = '';
  #nameless = 0;
  #empty = 0;

  constructor(provider: string) {
    this.#provider = provider;
  }

  /** @throws Error for a page that leads on to the next, and to no end. */
  keep(notifications: readonly PaymentNotification[]): void {
    const told = notifications.map(nameOf).join('\n').trim();
    if (told !== '' && told === this.#told)
      throw new Error(`${this.#provider} tells on one page what it told on the one before`);
    this.#told = told;
    this.#empty = notifications.length === 0 ? this.#empty + 1 : 0;
    if (this.#empty === mostEmptyPages)
      throw new Error(`${this.#provider} leads from one empty page to the next, and to no end`);
    this.#nameless = told === '' && notifications.length > 0 ? this.#nameless + 1 : 0;
    if (this.#nameless === mostNamelessPages)
      throw new Error(
        `${this.#provider} has nothing but notifications that make no sense on page after page`,
      );
  }
}

/**
 * What the provider knows since then, page by page, until the process stops. A page that it fails to give is asked for once
 * more: the next asking begins with the first again, and of many pages one or another would fail each time.
 */
async function* listSince(
  since: Date,
  { settings, clock, paymentProvider: provider }: Platform,
  stopping: AbortSignal,
): AsyncGenerator<PaymentNotification[]> {
  const limits = { asked: provider.name, timeoutMs: settings.PAYMENT_PROVIDER_TIMEOUT, clock };
  const named = new Set<string>();
  const memory = new PageMemory(provider.name);
  let page: string | null = null;
  do {
    const asked: string | null = page;
    const ask = (): Promise<NotificationPage | undefined> =>
      askWithin(limits, async (options) => provider.listNotifications?.(since, asked, options));
    const askAgain = (error: unknown) => (stopping.aborted ? Promise.reject(error) : ask());
    const listed = await untilAborted(ask().catch(askAgain), stopping);
    if (stopping.aborted) return;
    if (!listed) throw new Error(`${provider.name} gave no page of what it knows`);
    yield listed.notifications;
    page = listed.nextPage;
    // It would be asked for the same pages without a pause, and without an end.
    if (page && named.has(page)) throw new Error(`${provider.name} names a page again that it has given`);
    if (page) named.add(page);
    if (page) memory.keep(listed.notifications);
    // An adapter that answers from memory would let nothing else come to its turn.
    await nextTurn();
  } while (page);
}

/**
 * Asks no more for what the provider knew before `until`, when all that is left of it makes no sense: each asking would
 * reach further back, and the list grow, for ever.
 */
async function giveUp(
  failures: readonly SenselessNotification[],
  heardUntil: Date,
  until: Date,
  { sequelize, paymentProvider: provider, log }: Platform,
): Promise<void> {
  if (heardUntil >= until) return;
  const faults = failures.slice(0, mostToldFaults).map(({ message }) => message);
  log.error({ provider: provider.name, until, total: failures.length, faults }, givenUp);
  await run(sequelize, moveOn, [provider.name, until]);
}

/**
 * Asks the payment provider for what its callbacks should have told: one that is lost, because nobody took it or the
 * provider gave it up, must cost nobody money. Of any number of workers one asks at a time, from where the last one that
 * took everything had asked.
 * @returns `noTurn` when it asked for nothing, or not to the end because the process stops.
 * @throws AggregateError when some of it makes no sense or meets a locked wallet: the rest is taken, and all of it asked for
 *   again, for as long as `reachMs` where it makes no sense. Whatever the provider throws.
 */
export async function hearMissedNotices(
  platform: Platform,
  stopping: AbortSignal,
): Promise<typeof noTurn | undefined> {
  const { sequelize, clock, paymentProvider: provider, log, metrics } = platform;
  if (!provider.listNotifications) return noTurn;
  const now = clock.now();
  const [first, next] = [new Date(now.getTime() - reachMs), new Date(now.getTime() + pauseMs)];
  const [turn] = await run(sequelize, takeTurn, [provider.name, first, now, next]);
  if (!turn) return noTurn;
  const since = new Date(turn.heard_until.getTime() - overlapMs);
  const failures: unknown[] = [];
  let missed = 0;
  const count = (outcome: NoticeOutcome) => {
    metrics.paymentNotices.inc({ outcome });
    if (outcome !== 'known') missed += 1;
  };
  for await (const notifications of listSince(since, platform, stopping)) {
    try {
      await receiveNotifications(provider.name, notifications, platform, count);
    } catch (error) {
      if (!(error instanceof AggregateError)) throw error;
      failures.push(...error.errors);
    }
  }
  if (missed > 0) log.warn({ missed, since }, 'the payment provider was asked for what no callback had told');
  if (failures.length > 0) {
    // Not when the process stops: pages are left that nobody has read.
    if (!stopping.aborted && failures.every((failure) => failure instanceof SenselessNotification))
      await giveUp(failures, turn.heard_until, first, platform);
    throw new AggregateError(failures, `${failures.length} payment notifications not taken`);
  }
  if (stopping.aborted) return noTurn;
  await run(sequelize, moveOn, [provider.name, now]);
  return undefined;
}
