import { moduloEleven } from './checkDigit.ts';

/** "Nosso número" starts with 1, registered charge, and 4, printed by the beneficiary. */
const portfolioDigit = '1';
const printerDigit = '4';

/** Digits of the nosso número that the beneficiary chooses. */
export const caixaSequenceDigits = 15;
export const caixaBankCode = '104';

/** "4321/654321-9": agency and beneficiary code with its check digit, as printed. */
export function caixaAgencyAndCode(agency: string, beneficiaryCode: string): string {
  return `${agency}/${beneficiaryCode}-${moduloEleven(beneficiaryCode, '0')}`;
}

/**
 * Nosso número and free field of a boleto of Caixa Econômica Federal, layout SIGCB ("Especificações Técnicas para
 * Emissão de Boletos, Cobrança Bancária CAIXA", 67.119).
 * @param beneficiaryCode six digits
 * @param sequence fifteen digits, unique for the beneficiary
 * @returns `ourNumber`, 17 digits and check digit as printed, and `freeField`, 25 digits
 */
export function caixaNumbers(
  beneficiaryCode: string,
  sequence: string,
): { ourNumber: string; freeField: string } {
  const number = portfolioDigit + printerDigit + sequence;
  const field = [
    beneficiaryCode,
    moduloEleven(beneficiaryCode, '0'),
    sequence.slice(0, 3),
    portfolioDigit,
    sequence.slice(3, 6),
    printerDigit,
    sequence.slice(6),
  ].join('');
  return {
    ourNumber: `${number}-${moduloEleven(number, '0')}`,
    freeField: field + moduloEleven(field, '0'),
  };
}
