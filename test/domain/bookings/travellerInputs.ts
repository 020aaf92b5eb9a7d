import { expect } from 'vitest';
import { readTravellers, type TravellerInput } from '../../../src/domain/bookings/travellers.ts';
import type { FlightOffer, OfferPlace, OfferSegment } from '../../../src/domain/flights/offer.ts';
import { AppError } from '../../../src/errors.ts';
import type { PassengerType } from '../../../src/infrastructure/flights/supplier.ts';

type Travelled = Pick<FlightOffer, 'passengers' | 'slices'>;

const place = (iataCode: string): OfferPlace => ({
  iataCode,
  name: iataCode,
  cityName: iataCode,
  iataCityCode: iataCode,
  timeZone: 'America/Sao_Paulo',
});

/** `GRU-LIS 2027-01-10 2027-01-11`: airports, day of departure, day of arrival where it is another. */
function segmentOf(flight: string, index: number): OfferSegment {
  const [pair = '', departure = '', arrival = departure] = flight.split(' ');
  const [origin = '', destination = ''] = pair.split('-');
  const carrier = { iataCode: 'LA', name: 'LATAM Airlines' };
  return {
    id: `seg_${index}`,
    origin: { iataCode: origin, name: origin, terminal: null },
    destination: { iataCode: destination, name: destination, terminal: null },
    departingAt: `${departure}T00:30:00`,
    arrivingAt: `${arrival}T23:30:00`,
    operatingCarrier: { ...carrier, logoSymbolUrl: '' },
    marketingCarrier: carrier,
    operatingCarrierFlightNumber: '1',
    marketingCarrierFlightNumber: '1',
    aircraft: { iataCode: '320', name: 'Airbus A320' },
    duration: 'PT1H',
    distance: '1.0',
    passengers: [],
  };
}

/** An offer with these flights, for passengers pas_0, pas_1, …; flights that follow each other in a list connect. */
export function offerOf(
  slices: readonly (string | readonly string[])[],
  types: readonly PassengerType[],
): Travelled {
  return {
    slices: slices.map((flights, index) => {
      const segments = [flights].flat().map(segmentOf);
      const [first, last] = [segments[0]!, segments.at(-1)!];
      return {
        id: `sli_${index}`,
        origin: place(first.origin.iataCode),
        destination: place(last.destination.iataCode),
        duration: 'PT1H',
        segments,
      };
    }),
    passengers: types.map((type, index) => ({
      id: `pas_${index}`,
      type,
      fareBrandName: 'Light',
      loyaltyProgrammeAccounts: [],
    })),
  };
}

/** A CPF of nine digits and the check digits that the Receita Federal reckons for them. */
export function cpfOf(digits: string): string {
  const check = (text: string) => {
    const sum = Array.from(text, Number).reduce(
      (total, digit, index) => total + digit * (text.length + 1 - index),
      0,
    );
    return String(((sum * 10) % 11) % 10);
  };
  const first = digits + check(digits);
  return first + check(first);
}

const births = { adult: '1990-05-01', child: '2019-05-01', infant_without_seat: '2026-05-01' } as const;

/** A traveller without fault for the passenger at `index` of an offer. */
export const traveller = (
  index: number,
  type: PassengerType = 'adult',
  change: Partial<TravellerInput> = {},
): TravellerInput => ({
  id: `pas_${index}`,
  given_name: 'Ana',
  family_name: 'Souza',
  born_on: births[type],
  gender: 'f',
  email: 'ana@example.com',
  phone_number: '+5511987654321',
  identity_document: { type: 'cpf', number: cpfOf(String(123_456_780 + index)) },
  ...change,
});

export const now = new Date('2026-11-20T12:00:00.000Z');
export const domestic = ['GRU-GIG 2027-01-10'];
export const abroad = ['GRU-LIS 2027-01-10 2027-01-11', 'LIS-GRU 2027-01-20'];

export type Fault = [field: string, type: string, passengerId?: string];

/** What is wrong with a booking of these travellers, and that the first of it stands for all. */
export function faultsOf(
  inputs: readonly TravellerInput[],
  types: readonly PassengerType[] = ['adult'],
  flights: readonly (string | readonly string[])[] = domestic,
): Fault[] {
  try {
    readTravellers(inputs, offerOf(flights, types), now);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect([error.code, error.kind, error.message]).toEqual([
      'VALIDATION_ERROR',
      'bad_request',
      'Invalid request parameters',
    ]);
    const errors = error.details.errors as { field: string; type: string; passenger_id?: string }[];
    expect(error.details).toMatchObject({ field: errors[0]!.field, type: errors[0]!.type });
    return errors.map(({ field, type, passenger_id }) =>
      passenger_id === undefined ? [field, type] : [field, type, passenger_id],
    );
  }
}

/** The same of one adult with a change. */
export const faultsWith = (change: Partial<TravellerInput>, flights: readonly string[] = domestic) =>
  faultsOf([traveller(0, 'adult', change)], ['adult'], flights);

/** A passport without fault. */
export const passport = {
  type: 'passport',
  number: 'FZ123456',
  issuing_country: 'BR',
  expires_on: '2030-01-01',
} as const;
