const newNotice = (changes: Record<string, string | null>) => {
  const values = {
    id: 'pay_new',
    provider: 'simulated',
    provider_reference: 'new',
    outcome: 'paid',
    reason: null,
    settlement: 'automatic',
    settled_at: 'now',
    ...changes,
  };
  const texts = Object.values(values).map((value) => (value === null ? 'NULL' : `'${value}'`));
  return `INSERT INTO payment_notices (received_at, ${Object.keys(values)}) VALUES (now(), ${texts})`;
};

/** What the database itself refuses of what payment providers tell. */
export const noticeRefusals: Record<string, () => [sql: string, refusal: RegExp]> = {
  'told twice': () => [
    `${newNotice({})}; ${newNotice({ id: 'pay_again' })}`,
    /payment_notices_provider_provider_reference_outcome_key/,
  ],
  'another outcome': () => [newNotice({ outcome: 'lost' }), /payment_notices_outcome_check/],
  'another reason': () => [
    newNotice({ reason: 'mood', settlement: null, settled_at: null }),
    /payment_notices_reason_check/,
  ],
  'another settlement': () => [
    newNotice({ reason: 'ended', settlement: 'forgotten' }),
    /payment_notices_settlement_check/,
  ],
  'a settlement at no time': () => [newNotice({ settled_at: null }), /"payment_notices_check"/],
  'a time without a settlement': () => [
    newNotice({ reason: 'ended', settlement: null }),
    /"payment_notices_check"/,
  ],
  'waiting for no reason': () => [
    newNotice({ settlement: null, settled_at: null }),
    /"payment_notices_check1"/,
  ],
  'settled by itself in spite of a reason': () => [
    newNotice({ reason: 'ended' }),
    /"payment_notices_check1"/,
  ],
  'a debit of one that never came': () => [
    `INSERT INTO payment_debits (transaction_id, notice_id, recharge_id, amount_cents, settles, debited_at, debited_by)
       SELECT 'txn_new', 'pay_none', id, 1, false, now(), 'key_1' FROM recharges LIMIT 1`,
    /payment_debits_notice_id_fkey/,
  ],
};
