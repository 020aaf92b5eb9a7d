import { generatePixPayload } from '@brazilian-utils/brazilian-utils';

export interface PixCodeFields {
  /** The receiver's PIX key. */
  key: string;
  /** Folded to ASCII and cut at 25 characters. */
  merchantName: string;
  /** Folded to ASCII and cut at 15 characters. */
  merchantCity: string;
  amountCents: bigint;
  /** 1 to 25 letters and digits. */
  transactionId: string;
}

/**
 * A static BR Code with amount and transaction id (Banco Central, "Manual de Padrões para Iniciação do Pix"), the text
 * of "Pix copia e cola".
 * @throws RangeError when the fields make no valid code.
 */
export function pixCode(fields: PixCodeFields): string {
  const { key, merchantName, merchantCity, amountCents, transactionId } = fields;
  const decimal = `${amountCents / 100n}.${(amountCents % 100n).toString().padStart(2, '0')}`;
  // The library takes a number; that nothing was lost on the way is checked on what it wrote.
  const amount = Number(decimal);
  const code = generatePixPayload({ key, merchantName, merchantCity, amount, txid: transactionId });
  const amountField = `54${String(decimal.length).padStart(2, '0')}${decimal}`;
  if (amountCents <= 0n || !code?.includes(amountField))
    throw new RangeError('The fields make no valid BR Code');
  return code;
}
