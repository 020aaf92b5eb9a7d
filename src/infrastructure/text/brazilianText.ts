import { DateTime } from 'luxon';

/** What stands across every document of the test mode, so that none passes for a real one. */
export const testMark = 'SEM VALOR — AMBIENTE DE TESTE';

/** The zone in which Brazilian banks count days. */
export const bankZone = 'America/Sao_Paulo';

/** "R$ 1.234,56" of 123456n centavos. */
export function formatReais(cents: bigint): string {
  const digits = cents.toString().padStart(3, '0');
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, '.');
  return `R$ ${whole},${digits.slice(-2)}`;
}

/** "dd/mm/yyyy" of an instant, on São Paulo's calendar. */
export function formatBrazilianDate(instant: Date): string {
  return DateTime.fromJSDate(instant, { zone: bankZone }).toFormat('dd/MM/yyyy');
}

/** "12.345.678/0001-95" of a CNPJ's 14 characters. */
export function formatCnpj(cnpj: string): string {
  return cnpj.replace(/^(.{2})(.{3})(.{3})(.{4})(.{2})$/, '$1.$2.$3/$4-$5');
}

/** "***.456.789-**" of a CPF's 11 digits: as much as the federal government publishes of one. */
export function formatCpfInPart(cpf: string): string {
  return cpf.replace(/^.{3}(.{3})(.{3}).{2}$/, '***.$1.$2-**');
}

/** "01310-100" of a CEP's 8 digits. */
export function formatCep(cep: string): string {
  return cep.replace(/^(.{5})(.{3})$/, '$1-$2');
}
