/**
 * Three-digit accounting codes of airlines, with which the numbers of their tickets begin (IATA Resolution 762), by
 * designator. LATAM sells in Brazil on the stock of LATAM Airlines Brasil (957), not on that of Chile (045).
 */
const accountingCodes: Readonly<Record<string, string>> = {
  LA: '957',
  JJ: '957',
  G3: '127',
  AD: '577',
  AR: '044',
  H2: '605',
  OB: '930',
  AV: '134',
  CM: '230',
  AM: '139',
  AA: '001',
  UA: '016',
  DL: '006',
  B6: '279',
  AS: '027',
  WN: '526',
  AC: '014',
  TP: '047',
  IB: '075',
  UX: '996',
  AF: '057',
  KL: '074',
  BA: '125',
  VS: '932',
  EI: '053',
  LH: '220',
  LX: '724',
  OS: '257',
  SN: '082',
  AZ: '055',
  SK: '117',
  AY: '105',
  LO: '080',
  A3: '390',
  TK: '235',
  EK: '176',
  QR: '157',
  EY: '607',
  SV: '065',
  MS: '077',
  LY: '114',
  AT: '147',
  ET: '071',
  SA: '083',
  DT: '118',
  MK: '239',
  SQ: '618',
  CX: '160',
  JL: '131',
  NH: '205',
  KE: '180',
  CA: '999',
  MU: '781',
  BR: '695',
  TG: '217',
  MH: '232',
  VN: '738',
  AI: '098',
  QF: '081',
  NZ: '086',
};

/** Hahn Air, on whose stock agencies issue the tickets of airlines that have none of their own. */
const neutralStock = '169';

/** Accounting code of an airline; for one that issues no tickets of its own, that of Hahn Air. */
export function accountingCodeOf(iataCode: string): string {
  return Object.hasOwn(accountingCodes, iataCode) ? accountingCodes[iataCode]! : neutralStock;
}
