import { type FieldFault, validationError } from '../../errors.ts';
import type { Gender, Traveller } from '../../infrastructure/flights/order.ts';
import type { PassengerType } from '../../infrastructure/flights/supplier.ts';
import { ticketName } from '../../infrastructure/flights/ticketName.ts';
import { dayOf } from '../day.ts';
import type { FlightOffer } from '../flights/offer.ts';
import { mostPassengers } from '../flights/searchRequest.ts';
import type { Parts } from '../parts.ts';
import { documentKey, type IdentityDocumentInput, readIdentityDocument } from './identityDocuments.ts';
import { type Journey, journeyOf } from './journey.ts';
import { phoneNumbers, validators } from './validators.ts';

/** A traveller as the REST body spells one; each member is of its type, and nothing more. */
export interface TravellerInput {
  /** The offer's passenger, prefix pas_. */
  readonly id: string;
  readonly given_name: string;
  readonly family_name: string;
  /** A day, YYYY-MM-DD. */
  readonly born_on: string;
  readonly gender: Gender;
  readonly email: string;
  /** E.164: +5511987654321. */
  readonly phone_number: string;
  readonly identity_document: IdentityDocumentInput;
  /** The infant on this adult's lap. */
  readonly infant_passenger_id?: string | null;
}

export type TravellerParts = Omit<Parts<TravellerInput>, 'identity_document'> & {
  readonly identity_document?: Parts<IdentityDocumentInput> | undefined;
};

/** A passenger of the offer for whom nobody was named; `passenger_id` says which. */
interface MissingPassenger extends FieldFault {
  readonly passenger_id: string;
}

/** What all travellers of a booking are checked against, and where the faults go. */
interface Check {
  /** Null where it is not known: then nothing that it decides is a fault. */
  readonly offer: { readonly journey: Journey; readonly types: ReadonlyMap<string, PassengerType> } | null;
  /** UTC day, YYYY-MM-DD. */
  readonly today: string;
  readonly faults: FieldFault[];
}

const longestName = 60;
/**
 * UTF-16 code units that a name has at most before it is composed: four characters at most become one (UAX #15), each of
 * two units at most. To put the marks of a letter in order takes as long as the square of their number.
 */
const longestSpelling = longestName * 4 * 2;
const oldestYears = 130;

/** SPEC, Passenger rules: age in whole years on the day of the flight, both included. */
const agesOf: Readonly<Record<PassengerType, readonly [youngest: number, oldest: number]>> = {
  adult: [12, oldestYears],
  child: [2, 11],
  infant_without_seat: [0, 1],
};

/**
 * The travellers of a booking, in the order of the offer's passengers.
 *
 * - `id`: each of the offer's passengers once; `unknown`, `repeated`. Those left out are faults of `passengers`, type
 *   `missing`, with `passenger_id`; more than nine are `too_large`, and the tenth is not looked at.
 * - names: 1 to 60 characters that tickets can write (see ticketName): Latin letters with any accents, apostrophes,
 *   hyphens and spaces.
 * - `born_on`: up to `now` (`future`), within 130 years (`invalid`); `age` unless the passenger type holds on the local day
 *   of every flight.
 * - `email`: as class-validator's isEmail sees it (ASCII before the @, nothing quoted).
 * - `phone_number`: in E.164, as libphonenumber writes it, and one that its country's plan has.
 * - `identity_document`: see readIdentityDocument and journeyOf; one document for two travellers is `repeated`. A child
 *   without a CPF flies in Brazil with an rg or passport.
 * - `infant_passenger_id`: of an adult (`adults_only`), an infant of the offer (`unknown`, `not_an_infant`), of one
 *   adult (`repeated`); an infant that no adult names is `adult_required`.
 * @throws AppError 400 VALIDATION_ERROR with every bad field in `details.errors` (`passengers.0.born_on`)
 */
export function readTravellers(
  inputs: readonly TravellerInput[],
  offer: Pick<FlightOffer, 'passengers' | 'slices'>,
  now: Date,
): Traveller[] {
  const types = new Map(offer.passengers.map(({ id, type }) => [id, type]));
  const { travellers, faults } = readParts(inputs, now, { journey: journeyOf(offer), types });
  if (faults.length > 0) throw validationError(faults);
  return offer.passengers.map(({ id }) => travellers.find((traveller) => traveller.id === id) as Traveller);
}

/**
 * What is wrong with what is left of the travellers of a booking, by the rules that need no offer: all but those about
 * ages, the documents that the flights take, and who of the offer's passengers they are.
 */
export const travellerFaults = (
  inputs: readonly (TravellerParts | undefined)[],
  now: Date,
): readonly FieldFault[] => readParts(inputs, now, null).faults;

/** Travellers are whole where `inputs` are. */
function readParts(
  inputs: readonly (TravellerParts | undefined)[],
  now: Date,
  offer: Check['offer'],
): { travellers: Parts<Traveller>[]; faults: FieldFault[] } {
  const check: Check = { offer, today: dayOf(now), faults: [] };
  const travellers = inputs
    .slice(0, mostPassengers)
    .map((input, index) => readTraveller(input ?? {}, `passengers.${index}`, check));
  refuseRepeated(travellers, 'id', ({ id }) => id, check);
  refuseRepeated(
    travellers,
    'identity_document.number',
    ({ identityDocument }) => identityDocument && documentKey(identityDocument),
    check,
  );
  if (offer) checkInfants(travellers, offer.types, check.faults);
  if (inputs.length > mostPassengers) check.faults.push({ field: 'passengers', type: 'too_large' });
  else if (offer) check.faults.push(...missingPassengers(travellers, offer.types));
  return { travellers, faults: check.faults };
}

/** One traveller; of use only when no fault was added. */
function readTraveller(input: TravellerParts, field: string, check: Check): Parts<Traveller> {
  const { faults, offer } = check;
  const refuse = (member: string, type: string) => faults.push({ field: `${field}.${member}`, type });
  const required = (member: 'email' | 'phone_number', isRight: (text: string) => boolean) => {
    const text = input[member]?.trim();
    if (text === undefined) return undefined;
    if (text === '') refuse(member, 'required');
    else if (!isRight(text)) refuse(member, 'invalid');
    return text;
  };
  const type = input.id === undefined ? undefined : offer?.types.get(input.id);
  if (offer && !type) refuse('id', 'unknown');
  return {
    id: input.id,
    type: type ?? 'adult',
    givenName: readName(input.given_name, `${field}.given_name`, faults),
    familyName: readName(input.family_name, `${field}.family_name`, faults),
    bornOn: readBirth(input.born_on, `${field}.born_on`, type, check),
    gender: input.gender,
    email: required('email', isPlainEmail),
    phoneNumber: required('phone_number', isE164),
    identityDocument: readIdentityDocument(
      input.identity_document ?? {},
      `${field}.identity_document`,
      offer?.journey ?? null,
      faults,
    ),
    infantPassengerId: input.infant_passenger_id ?? null,
  };
}

function readName(text: string | undefined, field: string, faults: FieldFault[]): string | undefined {
  if (text === undefined) return undefined;
  const spelling = text.trim();
  const name = spelling.length > longestSpelling ? spelling : spelling.normalize('NFC');
  if (name === '') faults.push({ field, type: 'required' });
  else if (Array.from(name).length > longestName) faults.push({ field, type: 'too_long' });
  // Three marks on a letter are no language's spelling.
  else if (ticketName(name) === null || /\p{M}{3}/u.test(name)) faults.push({ field, type: 'invalid' });
  return name;
}

/** Without an account name in quotes or in other scripts, which airlines' systems do not take, or halves of characters. */
const isPlainEmail = (text: string) =>
  !/["\p{Cs}]/u.test(text) && validators().isEmail(text, { allow_utf8_local_part: false });

/**
 * As the library writes it: it takes "+44 020 …" as well, and leaves out the nought, which is dialled within a country
 * alone.
 */
function isE164(text: string): boolean {
  if (!/^\+[1-9]\d{6,14}$/.test(text)) return false;
  const parsed = phoneNumbers().parsePhoneNumberFromString(text);
  return parsed?.number === text && parsed.isValid();
}

function readBirth(
  day: string | undefined,
  field: string,
  type: PassengerType | undefined,
  check: Check,
): string | undefined {
  if (day === undefined) return undefined;
  const refuse = (reason: string) => check.faults.push({ field, type: reason });
  const flightDays = check.offer?.journey.flightDays ?? [];
  if (day > check.today) refuse('future');
  else if (flightDays[0] && ageOn(flightDays[0], day) > oldestYears) refuse('invalid');
  else if (type && !flightDays.every((flightDay) => isOfType(type, ageOn(flightDay, day)))) refuse('age');
  return day;
}

const isOfType = (type: PassengerType, age: number) => age >= agesOf[type][0] && age <= agesOf[type][1];

/** Whole years on a day. Who was born on 29 February turns older on 1 March of other years (Lei 810/1949, art. 3). */
function ageOn(day: string, bornOn: string): number {
  const years = Number(day.slice(0, 4)) - Number(bornOn.slice(0, 4));
  return day.slice(5) < bornOn.slice(5) ? years - 1 : years;
}

function refuseRepeated(
  travellers: readonly Parts<Traveller>[],
  member: string,
  keyOf: (traveller: Parts<Traveller>) => string | undefined,
  check: Check,
): void {
  const seen = new Set<string>();
  for (const [index, traveller] of travellers.entries()) {
    const key = keyOf(traveller);
    if (key === undefined) continue;
    if (seen.has(key)) check.faults.push({ field: `passengers.${index}.${member}`, type: 'repeated' });
    seen.add(key);
  }
}

type Types = ReadonlyMap<string | undefined, PassengerType>;

function checkInfants(travellers: readonly Parts<Traveller>[], types: Types, faults: FieldFault[]): void {
  const carried = new Set<string>();
  for (const [index, { id, infantPassengerId }] of travellers.entries()) {
    if (infantPassengerId === null || infantPassengerId === undefined) continue;
    const refuse = (type: string) => faults.push({ field: `passengers.${index}.infant_passenger_id`, type });
    const carrier = types.get(id);
    const carriedType = types.get(infantPassengerId);
    if (carrier && carrier !== 'adult') refuse('adults_only');
    else if (!carriedType) refuse('unknown');
    else if (carriedType !== 'infant_without_seat') refuse('not_an_infant');
    else if (carried.has(infantPassengerId)) refuse('repeated');
    else carried.add(infantPassengerId);
  }
  for (const [index, { id }] of travellers.entries()) {
    if (id !== undefined && types.get(id) === 'infant_without_seat' && !carried.has(id))
      faults.push({ field: `passengers.${index}.id`, type: 'adult_required' });
  }
}

function missingPassengers(
  travellers: readonly Parts<Traveller>[],
  types: ReadonlyMap<string, PassengerType>,
): MissingPassenger[] {
  const named = new Set(travellers.map(({ id }) => id));
  return [...types.keys()]
    .filter((id) => !named.has(id))
    .map((id) => ({ field: 'passengers', type: 'missing', passenger_id: id }));
}
