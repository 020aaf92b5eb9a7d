import { boletoDueAt } from '../../infrastructure/payments/businessDays.ts';
import type { ChargeArtefacts, PaymentMethod } from '../../infrastructure/payments/provider.ts';
import { isPrintableName } from '../../infrastructure/text/printableName.ts';
import type { Platform } from '../platform.ts';

/** What differs between the ways in which a recharge is paid. */
interface MethodRules {
  /** As the ledger's entries name it. */
  readonly name: string;
  /** Until when a recharge of that time can be paid. */
  expiryOf(createdAt: Date, platform: Pick<Platform, 'settings'>): Date;
  /** What a charge is paid by, out of what a provider gave, of which nothing is known; null where it is not whole. */
  codesOf(given: Partial<Record<string, unknown>>): ChargeArtefacts | null;
}

const matches = (pattern: RegExp, value: unknown): value is string =>
  typeof value === 'string' && pattern.test(value);

/** The central bank allows a BR Code 512 characters. */
const brCode = /^[^\p{Cc}\p{Cs}]{1,512}$/u;

const rules: Readonly<Record<PaymentMethod, MethodRules>> = {
  pix: {
    name: 'PIX',
    expiryOf: (createdAt, { settings }) => new Date(createdAt.getTime() + settings.PIX_VALIDITY),
    codesOf: ({ pixCopyPaste }) => (matches(brCode, pixCopyPaste) ? { method: 'pix', pixCopyPaste } : null),
  },
  boleto: {
    name: 'boleto',
    expiryOf: boletoDueAt,
    codesOf: ({ barcode, digitableLine, ourNumber }) =>
      matches(/^\d{44}$/, barcode) && matches(/^\d{47}$/, digitableLine) && isPrintableName(ourNumber)
        ? { method: 'boleto', barcode, digitableLine, ourNumber }
        : null,
  },
};

/** What every method is called, in the order in which they came. */
export const methodNames = Object.values(rules).map(({ name }) => name);

/** Until when a recharge can be paid that is requested now. */
export const expiryOf = (
  method: PaymentMethod,
  createdAt: Date,
  platform: Pick<Platform, 'settings'>,
): Date => rules[method].expiryOf(createdAt, platform);

/** Some banks name a charge by a token that has all of it. */
const longestChargeId = 8_000;

/**
 * Adapters are written by many: what they give for a charge is looked at before it is kept, since nobody could read a
 * recharge whose codes are missing, nor a list that it stands in.
 * @returns what is known of a charge and nothing else: some give all that the bank has answered.
 * @throws Error naming what is wrong.
 */
export function inspectCharge(charge: ChargeArtefacts, method: PaymentMethod): ChargeArtefacts {
  const given = (charge ?? {}) as Partial<Record<string, unknown>>;
  if (given.method !== method) throw new Error(`a charge that is no ${method}`);
  const codes = rules[method].codesOf(given);
  if (!codes) throw new Error(`a ${method} without its codes, or with some that are none`);
  const chargeId = given.chargeId ?? null;
  if (chargeId === null) return codes;
  if (typeof chargeId !== 'string' || chargeId.length > longestChargeId)
    throw new Error(`a ${method} whose chargeId is no text, or too long for one`);
  return { ...codes, chargeId };
}

const names = Object.entries(rules).map(([method, { name }]) => `WHEN '${method}' THEN '${name}'`);

/** SQL of what the ledger calls a recharge; `row` names its CTE or table. */
export const rechargeNameSql = (row: string) =>
  `'Recharge by ' || CASE ${row}.payment_method ${names.join(' ')} END`;
