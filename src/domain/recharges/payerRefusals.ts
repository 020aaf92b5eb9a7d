import type { AppError } from '../../errors.ts';
import { unprocessable } from '../../errors.ts';
import type { PayerFault } from '../../infrastructure/payments/provider.ts';

const refusal = (message: string, type: string) => unprocessable(message, { field: 'paymentMethod', type });

/**
 * 422, by what a payment provider finds wrong with the agency as payer: it can choose another method, or have an operator
 * mend what is registered of it.
 */
export const payerRefusals: Readonly<Record<PayerFault, AppError>> = {
  tax_id_required: refusal('Agency CPF or CNPJ required', 'tax_id_required'),
  address_required: refusal('Agency address required', 'address_required'),
  refused: refusal('Agency refused by payment provider', 'payer_refused'),
};
