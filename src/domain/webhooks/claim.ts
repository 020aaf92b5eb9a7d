import { run, statement } from '../../infrastructure/database/statement.ts';
import { inspectBody, inspectRecorded } from '../events/inspection.ts';
import type { Platform } from '../platform.ts';
import { bodyFrom, type RecordedParts, recordedParts } from './body.ts';
import type { Allowances } from './shares.ts';
import { baseShare } from './shares.ts';
import { perFreeSlot } from './slots.ts';

/**
 * Taking deliveries for sending.
 *
 * A taken delivery carries a lease, which its worker renews and a dead worker's lapses. Leases run by the database's
 * clock, the same for all workers; what is due is decided by the platform's. Each taking has a token of its own, so a
 * worker that lost a lease and took the delivery anew is two.
 */

export interface ClaimedDelivery {
  /** Digits. */
  id: string;
  event_id: string;
  webhook_id: string;
  wallet_id: number;
  /** Null when there is no such event, which nothing of ours brings about. */
  body: string | null;
  is_test: boolean;
  /** Attempts of this round that were made before. */
  attempt_count: number;
  url: string;
  sealed_headers: string;
  sealed_secrets: string;
  /** Whether the webhook's latest attempt succeeded. */
  trusted: boolean;
}

/** How long a delivery is held without renewal, in milliseconds: three times the longest that sending it takes. */
export function leaseOf({ settings }: Pick<Platform, 'settings'>): number {
  return 3 * settings.WEBHOOK_TIMEOUT;
}

/** A taken row. One that has no body of its own comes with what it is made of. */
type ClaimedRow = ClaimedDelivery & RecordedParts;

/** Webhooks with pending deliveries: steps from one to the next through the index, however many each has waiting. */
export const waitingSql = `waiting AS (
     (SELECT webhook_id FROM webhook_deliveries WHERE status = 'pending' ORDER BY webhook_id LIMIT 1)
     UNION ALL
     SELECT (SELECT d.webhook_id FROM webhook_deliveries d
              WHERE d.status = 'pending' AND d.webhook_id > v.webhook_id ORDER BY d.webhook_id LIMIT 1)
       FROM waiting v WHERE v.webhook_id IS NOT NULL
   )`;

/** The webhooks, and those of the wallets, that the named parameters hold, whether or not they have pending deliveries. */
const someWaitingSql = (webhookIds: string, walletIds: string) => `waiting AS (
     SELECT id AS webhook_id FROM webhooks WHERE id = ANY (${webhookIds})
     UNION
     SELECT id FROM webhooks WHERE wallet_id = ANY (${walletIds}::integer[]) AND deleted_at IS NULL
   )`;

/**
 * Of what is due, the next of each wallet goes by turns, counted on from what the wallet has under way, and as long as
 * enough slots stay free for the others. What its turn cannot come to is not even looked at: a wallet with a thousand
 * webhooks that is at its bound would make every taking of the others' dear. That bound, the second of the LIMIT, is there
 * for speed alone: of whatever is placed, `left_free` is at most `free - 1`, and a delivery behind the bound has so many of
 * its wallet before it that its turn is beyond `perFreeSlot * (free - 1)`, so `chosen` would leave it anyway. A webhook that was
 * deleted is not active, either.
 *
 * $1 now, $2 since when first attempts are due, $3 token, $4 limit, $5 and $6 free slots of trusted webhooks and of the
 * others, $7 and $8 allowances by webhook, $9 to $11 what wallets have under way, $12 lease.
 */
const takeSql = `due AS (
     SELECT p.id, p.due_at, w.wallet_id, t.trusted, s.under_way
       FROM waiting v
       JOIN webhooks w ON w.id = v.webhook_id AND w.active
       LEFT JOIN unnest($7::text[], $8::integer[]) AS a (webhook_id, allowance) ON a.webhook_id = w.id
       LEFT JOIN unnest($9::integer[], $10::integer[], $11::integer[]) AS u (wallet_id, trusted, untrusted)
              ON u.wallet_id = w.wallet_id
      CROSS JOIN LATERAL (SELECT coalesce(w.last_delivered_at >= w.last_triggered_at, false) AS trusted) t
      CROSS JOIN LATERAL (
            SELECT CASE WHEN t.trusted THEN $5::integer ELSE $6::integer END AS free,
                   coalesce(CASE WHEN t.trusted THEN u.trusted ELSE u.untrusted END, 0) AS under_way) s
      CROSS JOIN LATERAL (
            SELECT d.id, d.due_at FROM webhook_deliveries d
             WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.due_at <= $1
               AND (d.first_attempt_at IS NOT NULL OR d.due_at <= $2)
               AND (d.leased_until IS NULL OR d.leased_until <= clock_timestamp())
             ORDER BY d.due_at
             LIMIT greatest(0, least(coalesce(a.allowance, ${baseShare}), ${perFreeSlot} * (s.free - 1) - s.under_way))
               FOR UPDATE SKIP LOCKED) p
   ), in_turns AS (
     SELECT id, due_at, trusted,
            under_way + row_number() OVER (PARTITION BY trusted, wallet_id ORDER BY due_at) AS turn
       FROM due
   ), chosen AS (
     SELECT id, trusted FROM (
       SELECT *, CASE WHEN trusted THEN $5::integer ELSE $6::integer END
                   - row_number() OVER (PARTITION BY trusted ORDER BY turn, due_at) AS left_free
         FROM in_turns
     ) placed WHERE turn <= ${perFreeSlot} * left_free ORDER BY turn, due_at LIMIT $4
   ), claimed AS (
     UPDATE webhook_deliveries d
        SET lease_token = $3, leased_until = clock_timestamp() + $12::double precision * interval '1 millisecond',
            first_attempt_at = coalesce(d.first_attempt_at, $1)
       FROM chosen WHERE d.id = chosen.id
     RETURNING d.id, d.event_id, d.webhook_id, d.body, d.is_test, d.attempt_count, chosen.trusted
   )
   SELECT c.*, w.wallet_id, w.url, w.sealed_headers, w.sealed_secrets, ${recordedParts('e')}
     FROM claimed c JOIN webhooks w ON w.id = c.webhook_id
     LEFT JOIN events e ON e.id = c.event_id AND c.body IS NULL`;

const claimOfAll = statement<ClaimedRow>(
  'claim_webhook_deliveries',
  `WITH RECURSIVE ${waitingSql}, ${takeSql}`,
  { timestamps: 'iso' },
);

const claimOfSome = statement<ClaimedRow>(
  'claim_deliveries_of_webhooks',
  `WITH ${someWaitingSql('$13', '$14')}, ${takeSql}`,
  { timestamps: 'iso' },
);

/** Where to look: at every webhook, or at some, and those of some wallets. */
export type ClaimScope = 'all' | { webhookIds?: readonly string[]; walletIds?: readonly number[] };

/** Takes what is due, within the allowances, with the webhook as it is now. */
export async function claimDeliveries(
  token: string,
  scope: ClaimScope,
  { limit, freeSlots, ofWebhooks, underWay }: Allowances,
  platform: Platform,
): Promise<ClaimedDelivery[]> {
  const { sequelize, clock, settings } = platform;
  const now = clock.now();
  const firstDue = new Date(now.getTime() - (settings.WEBHOOK_RETRY_DELAYS[0] ?? 0));
  const values = [
    now,
    firstDue,
    token,
    limit,
    freeSlots.trusted,
    freeSlots.untrusted,
    [...ofWebhooks.keys()],
    [...ofWebhooks.values()],
    [...underWay.keys()],
    [...underWay.values()].map(({ trusted }) => trusted),
    [...underWay.values()].map(({ untrusted }) => untrusted),
    leaseOf(platform),
  ];
  const claimed = await (scope === 'all'
    ? run(sequelize, claimOfAll, values)
    : run(sequelize, claimOfSome, [...values, scope.webhookIds ?? [], scope.walletIds ?? []]));
  for (const row of claimed) {
    const isFirst = row.attempt_count === 0 && !row.is_test;
    if (row.body !== null) {
      if (isFirst) inspectBody(row.body, platform);
    } else if (row.data !== null) {
      if (isFirst) inspectRecorded(row.event_id, row.type, row.data, platform);
      row.body = bodyFrom(row);
    }
  }
  return claimed;
}

/** A delivery and the taking that it was sent under. */
export interface Taken {
  id: string;
  token: string;
}

/**
 * What is locked is just being recorded, and needs no lease any more. Waited for, it would be in another order than that in
 * which it is recorded, and one of the two be given up for a deadlock.
 */
const renewStatement = statement<{ id: string }>(
  'renew_webhook_leases',
  `WITH held AS (
     SELECT d.id FROM webhook_deliveries d
       JOIN unnest($1::bigint[], $2::text[]) AS t (id, token) ON d.id = t.id AND d.lease_token = t.token
        FOR NO KEY UPDATE OF d SKIP LOCKED
   )
   UPDATE webhook_deliveries d SET leased_until = clock_timestamp() + $3::double precision * interval '1 millisecond'
     FROM held WHERE d.id = held.id RETURNING d.id`,
);

const releaseStatement = statement(
  'release_webhook_lease',
  `UPDATE webhook_deliveries SET lease_token = NULL, leased_until = NULL, due_at = $3
    WHERE id = $1 AND lease_token = $2`,
);

const releaseAllStatement = statement(
  'release_all_webhook_leases',
  `UPDATE webhook_deliveries SET lease_token = NULL, leased_until = NULL
    WHERE status = 'pending' AND leased_until IS NOT NULL`,
);

/** Keeps deliveries that are being sent. @returns the ids of those that are kept: others may have been taken by somebody. */
export async function renewLeases(taken: readonly Taken[], platform: Platform): Promise<string[]> {
  if (taken.length === 0) return [];
  const ids = taken.map(({ id }) => id);
  const tokens = taken.map(({ token }) => token);
  const kept = await run(platform.sequelize, renewStatement, [ids, tokens, leaseOf(platform)]);
  return kept.map(({ id }) => id);
}

/** Gives a delivery back that was not sent, to be tried again from `dueAt`: no attempt was made. */
export async function releaseLease(
  { id, token }: Taken,
  dueAt: Date,
  { sequelize }: Platform,
): Promise<void> {
  await run(sequelize, releaseStatement, [id, token, dueAt]);
}

/** For a store that belongs to one process: whoever held leases before it started is dead. */
export async function releaseAllLeases({ sequelize }: Platform): Promise<void> {
  await run(sequelize, releaseAllStatement, []);
}

/** $1 now, $2 since when first attempts are due, $3 the delay before them in milliseconds. */
const nextDueSql = `SELECT min(least(n.due_at, f.due_at)) AS due_at FROM waiting v
     LEFT JOIN LATERAL (
          SELECT due_at FROM webhook_deliveries WHERE webhook_id = v.webhook_id AND status = 'pending' AND due_at > $1
           ORDER BY due_at LIMIT 1) n ON true
     LEFT JOIN LATERAL (
          SELECT due_at + $3::double precision * interval '1 millisecond' AS due_at FROM webhook_deliveries
           WHERE $3 > 0 AND webhook_id = v.webhook_id AND status = 'pending' AND first_attempt_at IS NULL
             AND due_at > $2
           ORDER BY webhook_deliveries.due_at LIMIT 1) f ON true`;

interface NextDue {
  due_at: Date | null;
}

const nextDueOfAll = statement<NextDue>(
  'next_webhook_delivery',
  `WITH RECURSIVE ${waitingSql} ${nextDueSql}`,
);

const nextDueOfSome = statement<NextDue>(
  'next_delivery_of_webhooks',
  `WITH ${someWaitingSql('$4', '$5')} ${nextDueSql}`,
);

/** When the next delivery there after `now` falls due; null when none does. */
export async function nextDueAt(
  now: Date,
  scope: ClaimScope,
  { sequelize, settings }: Platform,
): Promise<Date | null> {
  const firstDelayMs = settings.WEBHOOK_RETRY_DELAYS[0] ?? 0;
  const values = [now, new Date(now.getTime() - firstDelayMs), firstDelayMs];
  const [row] = await (scope === 'all'
    ? run(sequelize, nextDueOfAll, values)
    : run(sequelize, nextDueOfSome, [...values, scope.webhookIds ?? [], scope.walletIds ?? []]));
  return row?.due_at ?? null;
}
