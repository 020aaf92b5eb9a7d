import type { ChargeArtefacts, PaymentMethod } from '../../infrastructure/payments/provider.ts';
import { isPrintableName } from '../../infrastructure/printableName.ts';

/** The central bank allows a BR Code 512 characters. */
const brCode = /^[^\p{Cc}\p{Cs}]{1,512}$/u;

const matches = (pattern: RegExp, value: unknown): boolean =>
  typeof value === 'string' && pattern.test(value);

/**
 * Adapters are written by many: what they give for a charge is looked at before it is kept, since nobody could read a
 * recharge whose codes are missing, nor a list that it stands in.
 * @throws Error naming what is wrong.
 */
export function inspectCharge(charge: ChargeArtefacts, method: PaymentMethod): ChargeArtefacts {
  const given = (charge ?? {}) as Partial<Record<string, unknown>>;
  if (given.method !== method) throw new Error(`a charge that is no ${method}`);
  const isWhole =
    method === 'pix'
      ? matches(brCode, given.pixCopyPaste)
      : matches(/^\d{44}$/, given.barcode) &&
        matches(/^\d{47}$/, given.digitableLine) &&
        isPrintableName(given.ourNumber);
  if (!isWhole) throw new Error(`a ${method} without its codes, or with some that are none`);
  return charge;
}
