import type { LedgerCheck } from '../wallet/ledgerCheck.ts';
import { returnChecks } from './returnChecks.ts';

export const rechargeChecks: readonly LedgerCheck[] = [
  {
    // A payment at the very expires_at counts as late. Earlier builds took it for one in time: theirs are no break.
    name: 'a recharge is paid in time when it is completed, or an operator let it pass, and only then',
    sql: `
      SELECT format('recharge %s: %s, paid at %s by %s, due %s', id, status, coalesce(paid_at::text, 'no time'),
                    coalesce(transaction_id, 'no transaction'), expires_at) AS break
        FROM recharges
       WHERE (status = 'completed') <> (paid_at IS NOT NULL) OR (status = 'completed') <> (transaction_id IS NOT NULL)
             OR paid_at > expires_at AND NOT EXISTS (
                  SELECT FROM payment_notices n WHERE n.recharge_id = recharges.id AND n.settlement = 'credited')
       ORDER BY id LIMIT 1`,
  },
  {
    name: 'each completed recharge has its credit, and each recharge credit its recharge',
    sql: `
      SELECT format('recharge %s: %s in wallet %s; entry %s: %s of %s in wallet %s',
                    coalesce(r.id, 'none'), r.amount_cents, r.wallet_id,
                    coalesce(e.id, 'none'), e.type, e.amount_cents, e.wallet_id) AS break
        FROM (SELECT * FROM recharges WHERE status = 'completed') r
             FULL JOIN (SELECT * FROM wallet_entries WHERE reference_type = 'recharge' AND type = 'credit') e
                    ON e.id = r.transaction_id
       WHERE r.id IS NULL OR e.id IS NULL
             OR (e.wallet_id, e.amount_cents, e.reference_id, e.payment_method)
                IS DISTINCT FROM (r.wallet_id, r.amount_cents, r.id, r.payment_method)
       ORDER BY coalesce(r.id, e.reference_id) LIMIT 1`,
  },
  {
    name: 'each day counts its pending and completed recharges',
    sql: `
      SELECT format('wallet %s counts %s centavos on %s, its recharges give %s', wallet_id, d.requested_cents, day,
                    coalesce(r.cents, 0)) AS break
        FROM recharge_days d FULL JOIN (
               SELECT wallet_id, (created_at AT TIME ZONE 'UTC')::date AS day, sum(amount_cents) AS cents
                 FROM recharges WHERE status IN ('pending', 'completed') GROUP BY 1, 2) r USING (wallet_id, day)
       WHERE d.requested_cents IS DISTINCT FROM coalesce(r.cents, 0)
       ORDER BY wallet_id, day LIMIT 1`,
  },
  {
    name: 'each recharge has told each of its states once, in their order',
    sql: `
      SELECT format('recharge %s: %s, but told %s', coalesce(r.id, e.subject_id), coalesce(r.status, 'unknown'),
                    coalesce(e.told, 'nothing')) AS break
        FROM recharges r FULL JOIN (
               SELECT wallet_id, subject_id, string_agg(split_part(type, '.', 3), ', ' ORDER BY sequence) AS told
                 FROM events WHERE type LIKE 'wallet.recharge.%' GROUP BY subject_id, wallet_id) e
             ON e.subject_id = r.id AND e.wallet_id = r.wallet_id
       WHERE e.told IS NULL OR (r.status, e.told) NOT IN (
               ('pending', 'pending'), ('failed', 'pending'), ('cancelled', 'pending'), ('expired', 'pending, expired'),
               ('completed', 'pending, completed'), ('completed', 'pending, expired, completed'))
             OR r.id IS NULL
       ORDER BY coalesce(r.id, e.subject_id) LIMIT 1`,
  },
  {
    name: 'each payment that was credited has completed its recharge, with its amount',
    sql: `
      SELECT format('payment %s of %s centavos for %s: %s of %s', n.id, coalesce(n.amount_cents::text, 'unsaid'),
                    coalesce(n.recharge_id, 'nothing'), coalesce(r.status, 'unknown'), r.amount_cents) AS break
        FROM payment_notices n LEFT JOIN recharges r ON r.id = n.recharge_id AND r.provider = n.provider
       WHERE n.outcome = 'paid' AND n.settlement IN ('automatic', 'credited')
             AND (r.status IS DISTINCT FROM 'completed' OR n.amount_cents <> r.amount_cents)
       ORDER BY n.id LIMIT 1`,
  },
  {
    name: 'each recharge is credited by one payment at most, and by none that the bank took back',
    sql: `
      SELECT format('recharge %s: settled by %s', recharge_id, string_agg(outcome || ' ' || id, ', ' ORDER BY id)) AS break
        FROM payment_notices
       WHERE recharge_id IS NOT NULL AND settlement IN ('automatic', 'credited') AND outcome IN ('paid', 'returned')
       GROUP BY provider, recharge_id
      HAVING count(*) > 1 OR bool_or(outcome = 'returned')
       ORDER BY recharge_id LIMIT 1`,
  },
  {
    name: 'recharges belong to the team and mode of their wallet',
    sql: `
      SELECT format('recharge %s of %s (%s) is in wallet %s of %s (%s)', r.id, r.team_id, r.mode, r.wallet_id,
                    w.team_id, w.mode) AS break
        FROM recharges r LEFT JOIN wallets w ON w.id = r.wallet_id
       WHERE (r.team_id, r.mode) IS DISTINCT FROM (w.team_id, w.mode)
       ORDER BY r.id LIMIT 1`,
  },
  ...returnChecks,
];
