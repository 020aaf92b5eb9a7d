import { generatePixPayload } from '@brazilian-utils/brazilian-utils';

interface PixCodeFields {
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
  // The library takes a number; the field's 13 characters hold no amount that a double cannot carry exactly.
  const amount = Number(amountCents) / 100;
  const code = generatePixPayload({ key, merchantName, merchantCity, amount, txid: transactionId });
  if (code === null) throw new RangeError('The fields make no valid BR Code');
  return code;
}

interface DynamicPixCodeFields extends Pick<PixCodeFields, 'merchantName' | 'merchantCity'> {
  /** Where bank apps read the charge, without the scheme: 1 to 77 characters. */
  location: string;
}

/**
 * A dynamic BR Code of the charge at a location, of the same manual: amount and transaction id stand there.
 * @throws RangeError when the fields make no valid code.
 */
export function dynamicPixCode({ location, merchantName, merchantCity }: DynamicPixCodeFields): string {
  const url = location.replace(/^https:\/\//, '');
  const code = generatePixPayload({ url, merchantName, merchantCity });
  if (code === null) throw new RangeError('The fields make no valid BR Code');
  return code;
}
