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
  /** Whether a provider's charge, of which nothing is known, has the codes that it is paid by. */
  isWhole(charge: Partial<Record<string, unknown>>): boolean;
}

const matches = (pattern: RegExp, value: unknown): boolean =>
  typeof value === 'string' && pattern.test(value);

/** The central bank allows a BR Code 512 characters. */
const brCode = /^[^\p{Cc}\p{Cs}]{1,512}$/u;

const rules: Readonly<Record<PaymentMethod, MethodRules>> = {
  pix: {
    name: 'PIX',
    expiryOf: (createdAt, { settings }) => new Date(createdAt.getTime() + settings.PIX_VALIDITY),
    isWhole: ({ pixCopyPaste }) => matches(brCode, pixCopyPaste),
  },
  boleto: {
    name: 'boleto',
    expiryOf: boletoDueAt,
    isWhole: ({ barcode, digitableLine, ourNumber }) =>
      matches(/^\d{44}$/, barcode) && matches(/^\d{47}$/, digitableLine) && isPrintableName(ourNumber),
  },
};

/** Until when a recharge can be paid that is requested now. */
export const expiryOf = (
  method: PaymentMethod,
  createdAt: Date,
  platform: Pick<Platform, 'settings'>,
): Date => rules[method].expiryOf(createdAt, platform);

/**
 * Adapters are written by many: what they give for a charge is looked at before it is kept, since nobody could read a
 * recharge whose codes are missing, nor a list that it stands in.
 * @throws Error naming what is wrong.
 */
export function inspectCharge(charge: ChargeArtefacts, method: PaymentMethod): ChargeArtefacts {
  const given = (charge ?? {}) as Partial<Record<string, unknown>>;
  if (given.method !== method) throw new Error(`a charge that is no ${method}`);
  if (!rules[method].isWhole(given))
    throw new Error(`a ${method} without its codes, or with some that are none`);
  return charge;
}

const names = Object.entries(rules).map(([method, { name }]) => `WHEN '${method}' THEN '${name}'`);

/** SQL of what the ledger calls a recharge; `row` names its CTE or table. */
export const rechargeNameSql = (row: string) =>
  `'Recharge by ' || CASE ${row}.payment_method ${names.join(' ')} END`;
