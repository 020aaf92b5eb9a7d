/**
 * Money is integer centavos in a bigint; a decimal string with exactly two decimals only at the doors (DESIGN §3).
 */

/** The form of an accepted amount. */
export const amountPattern = /^(0|[1-9]\d{0,9})(\.\d{1,2})?$/;

/** Hundredths of a decimal with at most two digits after the point. */
export function centsOf(decimal: string): bigint {
  const point = decimal.indexOf('.');
  if (point === -1) return BigInt(`${decimal}00`);
  return BigInt(decimal.slice(0, point) + decimal.slice(point + 1).padEnd(2, '0'));
}

/** Centavos of an accepted amount ("100", "100.5", "100.50"), or null: nothing is rounded or trimmed. */
export function parseAmount(text: unknown): bigint | null {
  return typeof text === 'string' && amountPattern.test(text) ? centsOf(text) : null;
}

/** Centavos of an amount that a door has accepted. @throws Error for any other: no money is made of it, whoever let it in. */
export function centsOfAmount(amount: string): bigint {
  const cents = parseAmount(amount);
  if (cents === null) throw new Error(`${amount} is no amount`);
  return cents;
}

/** "1234.50" of 123450n centavos; also takes the digits PostgreSQL returns for a BIGINT. */
export function formatAmount(cents: bigint | string): string {
  const digits = typeof cents === 'string' ? cents : cents.toString();
  if (digits.startsWith('-')) return `-${formatAmount(digits.slice(1))}`;
  const padded = digits.padStart(3, '0');
  return `${padded.slice(0, -2)}.${padded.slice(-2)}`;
}
