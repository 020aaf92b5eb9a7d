/** SQL of a recharge as the REST resource spells it in events; `row` names its CTE or table. */
export const rechargeObjectSql = (row: string) => `json_strip_nulls(json_build_object(
      'id', ${row}.id, 'amount', decimal_amount(${row}.amount_cents), 'currency', 'BRL', 'status', ${row}.status,
      'payment_method', ${row}.payment_method, 'paid_at', iso_timestamp(${row}.paid_at),
      'transaction_id', ${row}.transaction_id, 'created_at', iso_timestamp(${row}.created_at)))`;
