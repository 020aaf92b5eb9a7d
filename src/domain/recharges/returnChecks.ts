import type { LedgerCheck } from '../wallet/ledgerCheck.ts';

/** Checks of what was debited for payments that banks took back. */
export const returnChecks: readonly LedgerCheck[] = [
  {
    name: 'each debit of a recharge is of a payment of it that was returned',
    sql: `
      SELECT format('payment %s of %s: %s debited in wallet %s by %s; entry %s: %s of %s in wallet %s',
                    coalesce(d.notice_id, 'none'), coalesce(d.recharge_id, 'nothing'), d.amount_cents, d.wallet_id,
                    coalesce(d.transaction_id, 'nothing'), coalesce(e.id, 'none'), e.amount_cents, e.reference_id,
                    e.wallet_id) AS break
        FROM (SELECT d.*, r.wallet_id, n.id IS NOT NULL AS is_returned
                FROM payment_debits d LEFT JOIN recharges r ON r.id = d.recharge_id
                     LEFT JOIN payment_notices n ON n.id = d.notice_id AND n.recharge_id = d.recharge_id
                                                AND n.provider = r.provider AND n.outcome = 'returned') d
             FULL JOIN (SELECT * FROM wallet_entries WHERE reference_type = 'recharge' AND type = 'debit') e
                    ON e.id = d.transaction_id
       WHERE d.is_returned IS NOT TRUE OR e.id IS NULL
             OR (e.wallet_id, e.amount_cents, e.reference_id, e.created_at)
                IS DISTINCT FROM (d.wallet_id, d.amount_cents, d.recharge_id, d.debited_at)
       ORDER BY coalesce(d.transaction_id, e.id) LIMIT 1`,
  },
  {
    name: 'no more of a recharge is debited than was credited for it',
    sql: `
      SELECT format('recharge %s: %s, %s debited of %s', d.recharge_id, coalesce(r.status, 'unknown'), d.cents,
                    r.amount_cents) AS break
        FROM (SELECT recharge_id, sum(amount_cents) AS cents FROM payment_debits GROUP BY recharge_id) d
             LEFT JOIN recharges r ON r.id = d.recharge_id
       WHERE r.status IS DISTINCT FROM 'completed' OR d.cents > r.amount_cents
       ORDER BY d.recharge_id LIMIT 1`,
  },
  {
    name: 'no more is debited for a payment than was returned, and what is settled by it leaves nothing',
    sql: `
      SELECT format('payment %s: %s, %s debited of %s returned', d.notice_id, coalesce(n.settlement, 'waits'), d.cents,
                    coalesce(n.amount_cents, r.amount_cents)) AS break
        FROM (SELECT notice_id, sum(amount_cents) AS cents, bool_or(settles) AS settles FROM payment_debits
               GROUP BY notice_id) d
             LEFT JOIN payment_notices n ON n.id = d.notice_id
             LEFT JOIN recharges r ON r.id = n.recharge_id AND r.provider = n.provider
       WHERE d.cents > coalesce(n.amount_cents, r.amount_cents)
             OR d.settles AND (n.settlement IS DISTINCT FROM 'dismissed'
                  OR d.cents < coalesce(n.amount_cents, r.amount_cents)
                     AND (SELECT sum(o.amount_cents) FROM payment_debits o WHERE o.recharge_id = r.id) < r.amount_cents)
             OR NOT d.settles AND n.settled_at IS NULL AND d.cents = coalesce(n.amount_cents, r.amount_cents)
       ORDER BY d.notice_id LIMIT 1`,
  },
];
