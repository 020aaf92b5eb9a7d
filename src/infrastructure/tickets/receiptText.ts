import { findAirport } from '../flights/airports.ts';
import { instantsOfLocalTime } from '../flights/localTime.ts';
import { ticketName } from '../flights/ticketName.ts';
import { formatReais } from '../text/brazilianText.ts';
import { placeText } from './placeNames.ts';
import type {
  ReceiptCondition,
  ReceiptSegment,
  ReceiptTicket,
  ReceiptTraveller,
  TicketReceipt,
} from './receipt.ts';

/** How a receipt says things, in Portuguese. */

export const statusText: Readonly<Record<TicketReceipt['status'], string>> = {
  pending: 'Reservado, aguardando pagamento',
  confirmed: 'Pago, emissão em andamento',
  ticketed: 'Emitido',
  cancelled: 'Cancelado',
  expired: 'Expirado',
  failed: 'Não emitido',
};

/** Across the receipt of a booking whose tickets nobody can fly with. */
export const voidMark = ({ status }: TicketReceipt): string | null =>
  status === 'ticketed' ? null : `${statusText[status].toUpperCase()} — NÃO VÁLIDO PARA EMBARQUE`;

const passengerTypes = { adult: 'Adulto', child: 'Criança', infant_without_seat: 'Bebê de colo' } as const;
const documentTypes = { cpf: 'CPF', rg: 'RG', passport: 'Passaporte' } as const;
const cabins = {
  economy: 'Econômica',
  premium_economy: 'Econômica premium',
  business: 'Executiva',
  first: 'Primeira classe',
} as const;

/** "Adulto", "Bebê de colo, com o passageiro 1": whose number is the place in the list, from 1. */
export function passengerTypeText(traveller: ReceiptTraveller, all: readonly ReceiptTraveller[]): string {
  const carrier = all.findIndex(({ infantPassengerId }) => infantPassengerId === traveller.id);
  const type = passengerTypes[traveller.type];
  return carrier < 0 ? type : `${type}, com o passageiro ${carrier + 1}`;
}

/** "SOUZA/ANA MARIA": as tickets and boarding passes have it. */
export const nameOnTicket = ({ familyName, givenName }: ReceiptTraveller): string =>
  `${ticketName(familyName) ?? familyName}/${ticketName(givenName) ?? givenName}`;

/** "CPF ********725": letters and digits but the last three are hidden, punctuation is left out. */
export function maskedDocument({ identityDocument: { type, number } }: ReceiptTraveller): string {
  const characters = number.replace(/[^0-9A-Za-z]/g, '');
  const shown = characters.slice(-3);
  return `${documentTypes[type]} ${'*'.repeat(characters.length - shown.length)}${shown}`;
}

/** Numbers of a traveller's tickets, of which a long journey or several carriers take more than one, or that there is none. */
export function ticketNumbers(id: string, tickets: readonly ReceiptTicket[]): readonly string[] {
  const own = tickets.filter(({ passengerId }) => passengerId === id);
  return own.length > 0 ? own.map(({ uniqueIdentifier }) => uniqueIdentifier) : ['não emitido'];
}

/** "9h30" of PT9H30M, "45min", "10h". */
export function durationText(duration: string): string {
  const [, hours = 0, minutes = 0] = (/^PT(?:(\d+)H)?(?:(\d+)M)?$/.exec(duration) ?? []).map(Number);
  return hoursAndMinutes((hours || 0) * 60 + (minutes || 0));
}

function hoursAndMinutes(total: number): string {
  const [hours, minutes] = [Math.floor(total / 60), total % 60];
  if (hours === 0) return `${minutes}min`;
  return minutes === 0 ? `${hours}h` : `${hours}h${String(minutes).padStart(2, '0')}`;
}

const weekdays = ['dom', 'seg', 'ter', 'qua', 'qui', 'sex', 'sáb'];

/** "23:05" of a local time without zone. */
export const timeText = (local: string): string => local.slice(11, 16);

/** "sáb, 10/01/2027" of a local time without zone. */
export function dayText(local: string): string {
  const weekday = weekdays[new Date(`${local.slice(0, 10)}T00:00:00Z`).getUTCDay()];
  return `${weekday}, ${local.slice(8, 10)}/${local.slice(5, 7)}/${local.slice(0, 4)}`;
}

/**
 * Of two instants that one local time names, a departure is the earlier, an arrival the later. What clocks show has to do
 * where the zone of an airport is not known.
 */
function waitMs(before: ReceiptSegment, after: ReceiptSegment): number {
  const [arrivalMs, departureMs] = [Date.parse(`${before.arrivingAt}Z`), Date.parse(`${after.departingAt}Z`)];
  const arrivedMs = instantsAt(before.destination.iataCode, arrivalMs).at(-1);
  const leavesMs = instantsAt(after.origin.iataCode, departureMs).at(0);
  return arrivedMs === undefined || leavesMs === undefined ? departureMs - arrivalMs : leavesMs - arrivedMs;
}

function instantsAt(iataCode: string, localMs: number): number[] {
  const timeZone = findAirport(iataCode)?.timeZone;
  return timeZone === undefined ? [] : instantsOfLocalTime(timeZone, localMs);
}

/** "Conexão em São Paulo (GRU): 2h10 de espera", or the change of airport. */
export function connectionText(before: ReceiptSegment, after: ReceiptSegment): string {
  const [arrival, departure] = [before.destination, after.origin];
  const wait = hoursAndMinutes(Math.round(waitMs(before, after) / 60_000));
  return arrival.iataCode === departure.iataCode
    ? `Conexão em ${placeText(departure.iataCode)}: ${wait} de espera`
    : `Conexão com troca de aeroporto, de ${placeText(arrival.iataCode)} para ${placeText(departure.iataCode)}: ${wait}`;
}

/** Cabin of a flight, or of each of its passengers where they differ: "Econômica", "Executiva (1, 2), Econômica (3)". */
export const cabinText = (segment: ReceiptSegment, all: readonly ReceiptTraveller[]): string =>
  perPassenger(
    segment,
    all,
    ({ cabinClass }) => cabins[cabinClass],
    (cabin, who) => `${cabin} (${who})`,
  ).join(', ');

/** "1 de mão e 1 despachada por passageiro", or what each has where they differ. */
export function bagsText(segment: ReceiptSegment, all: readonly ReceiptTraveller[]): string {
  const bagsOf = ({ baggages }: ReceiptSegment['passengers'][number]) => {
    const count = (type: 'carry_on' | 'checked') =>
      baggages.filter((bag) => bag.type === type).reduce((sum, { quantity }) => sum + quantity, 0);
    const [carryOn, checked] = [count('carry_on'), count('checked')];
    const parts = [
      ...(carryOn > 0 ? [`${carryOn} de mão`] : []),
      ...(checked > 0 ? [`${checked} despachada${checked > 1 ? 's' : ''}`] : []),
    ];
    return parts.length > 0 ? parts.join(' e ') : 'sem franquia';
  };
  const texts = perPassenger(segment, all, bagsOf, (bags, who) => `${bags} (${who})`);
  return texts.length === 1 && all.length > 1 ? `${texts[0]} por passageiro` : texts.join('; ');
}

/** One text where it holds for all; else each text with the numbers of those for whom it holds. */
function perPassenger(
  { passengers }: ReceiptSegment,
  all: readonly ReceiptTraveller[],
  textOf: (passenger: ReceiptSegment['passengers'][number]) => string,
  withNumbers: (text: string, numbers: string) => string,
): string[] {
  const numbersOf = new Map<string, number[]>();
  for (const [index, { id }] of all.entries()) {
    const passenger = passengers.find(({ passengerId }) => passengerId === id);
    if (!passenger) continue;
    const text = textOf(passenger);
    numbersOf.set(text, [...(numbersOf.get(text) ?? []), index + 1]);
  }
  if (numbersOf.size === 1) return [...numbersOf.keys()];
  return [...numbersOf].map(([text, numbers]) => withNumbers(text, `pass. ${numbers.join(', ')}`));
}

const symbols: Readonly<Record<string, string>> = { BRL: 'R$', USD: 'US$', EUR: '€' };

/** "US$ 1.200,00" of 1200.00 USD. */
function moneyText(amount: string, currency: string): string {
  const reais = formatReais(BigInt(amount.replace('.', '')));
  return reais.replace('R$', symbols[currency] ?? currency);
}

/** Whether something is allowed before departure, and at what price. */
export function conditionText({ allowed, penaltyAmount, penaltyCurrency }: ReceiptCondition): string {
  if (!allowed) return 'não é possível';
  if (penaltyAmount === null || penaltyCurrency === null) return 'possível, com multa conforme a tarifa';
  return /^0\.0+$/.test(penaltyAmount)
    ? 'possível, sem multa'
    : `possível, com multa de ${moneyText(penaltyAmount, penaltyCurrency)}`;
}
