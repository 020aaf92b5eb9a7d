import type { LedgerCheck } from '../wallet/ledgerCheck.ts';

export const eventChecks: readonly LedgerCheck[] = [
  {
    name: 'events are numbered 1 to n in each wallet',
    sql: `
      SELECT format('wallet %s: event %s has number %s, %s was next', wallet_id, id, sequence, next) AS break
        FROM (SELECT wallet_id, id, sequence, row_number() OVER (PARTITION BY wallet_id ORDER BY sequence) AS next
                FROM events) e
       WHERE sequence <> next
       ORDER BY wallet_id, sequence LIMIT 1`,
  },
  {
    name: 'each wallet has counted its events',
    sql: `
      SELECT format('wallet %s counts %s events, the last one has number %s', w.id, w.event_count,
                    coalesce(e.sequence, 0)) AS break
        FROM wallets w LEFT JOIN LATERAL (
               SELECT sequence FROM events WHERE wallet_id = w.id ORDER BY sequence DESC LIMIT 1) e ON true
       WHERE w.event_count <> coalesce(e.sequence, 0)
       ORDER BY w.id LIMIT 1`,
  },
  {
    name: 'each entry is told by one event, with its amount and balance',
    sql: `
      SELECT format('wallet %s: entry %s: %s of %s leaving %s; %s events: %s of %s leaving %s',
                    coalesce(e.wallet_id, v.wallet_id), coalesce(e.id, v.subject_id), coalesce(e.type, 'none'),
                    decimal_amount(e.amount_cents), decimal_amount(e.balance_after_cents),
                    coalesce(v.times, 0), v.type, v.amount, v.balance_after) AS break
        FROM wallet_entries e FULL JOIN (
               SELECT wallet_id, subject_id, count(*) AS times, min(type) AS type,
                      min(data #>> '{object,amount}') AS amount,
                      min(data #>> '{object,balance_after}') AS balance_after
                 FROM events WHERE type IN ('wallet.credit', 'wallet.debit') GROUP BY subject_id, wallet_id) v
             ON v.subject_id = e.id AND v.wallet_id = e.wallet_id
       WHERE e.id IS NULL OR (v.times, v.type, v.amount, v.balance_after) IS DISTINCT FROM
             (1, 'wallet.' || e.type, decimal_amount(e.amount_cents), decimal_amount(e.balance_after_cents))
       ORDER BY coalesce(e.wallet_id, v.wallet_id), e.sequence LIMIT 1`,
  },
  {
    name: 'events belong to the team and mode of their wallet',
    sql: `
      SELECT format('event %s of %s (%s) is in wallet %s of %s (%s)', e.id, e.team_id, e.mode, e.wallet_id,
                    w.team_id, w.mode) AS break
        FROM events e LEFT JOIN wallets w ON w.id = e.wallet_id
       WHERE (e.team_id, e.mode) IS DISTINCT FROM (w.team_id, w.mode)
       ORDER BY e.wallet_id, e.sequence LIMIT 1`,
  },
];
