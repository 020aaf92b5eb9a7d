import { createHash } from 'node:crypto';

const transactionIdDigits = 25;

/** 128 bits that depend on nothing but the recharge's id. */
function fingerprint(rechargeId: string): bigint {
  const digest = createHash('sha256').update(rechargeId).digest('hex');
  return BigInt(`0x${digest.slice(0, 32)}`);
}

/**
 * The PIX transaction id (txid) of a recharge: 25 characters A-Z and 0-9, the most a static BR Code holds, which is
 * just enough for all 128 bits of the fingerprint; so two recharges never share one.
 */
export function pixTransactionId(rechargeId: string): string {
  return fingerprint(rechargeId).toString(36).toUpperCase().padStart(transactionIdDigits, '0');
}

/**
 * The beneficiary's part of a boleto's "nosso número": `digits` digits of the fingerprint. Fifteen of them collide for
 * one pair in a million boletos with odds of 1 in 2000, good enough for a provider that moves no money.
 */
export function boletoSequence(rechargeId: string, digits: number): string {
  return (fingerprint(rechargeId) % 10n ** BigInt(digits)).toString().padStart(digits, '0');
}
