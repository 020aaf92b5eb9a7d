const cents = 100n;

/** Centavos as the Pix API writes them: `\d{1,10}\.\d{2}`. */
export const amountOf = (amountCents: bigint): string =>
  `${amountCents / cents}.${String(amountCents % cents).padStart(2, '0')}`;

/** Centavos of an amount that the Pix API wrote; null for what is none. */
export const centsOf = (amount: unknown): bigint | null =>
  typeof amount === 'string' && /^\d{1,10}\.\d{2}$/.test(amount) ? BigInt(amount.replace('.', '')) : null;
