import { isIdentifier } from '../../identifiers/identifier.ts';

const prefix = 'rch_';

/**
 * The `txid` of a recharge's charge: its own id without the prefix, 26 letters and digits of the 26 to 35 that the Pix API has
 * room for.
 */
export const transactionIdOf = (rechargeId: string): string => rechargeId.slice(prefix.length);

/** The recharge of a `txid`; null for what is none of ours, such as what others of the same Pix key are paid. */
export function rechargeIdOf(transactionId: unknown): string | null {
  if (typeof transactionId !== 'string') return null;
  // Ours are in lower case: a bank that keeps them in capitals means the same.
  const id = prefix + transactionId.toLowerCase();
  return isIdentifier('rch', id) ? id : null;
}
