import { beforeEach, expect } from 'vitest';
import { cpfOf } from '../domain/bookings/travellerInputs.ts';
import type { Door, Refusal, Stage } from '../doors/door.ts';
import { completedRecharge, dataOf, describeDoors } from '../doors/door.ts';
import { graphqlDoor } from '../doors/graphqlDoor.ts';
import { restDoor } from '../doors/restDoor.ts';
import type { Json } from '../harness/client.ts';
import * as client from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import type { AirlineTerms } from './airline.ts';
import { Airline } from './airline.ts';

export interface BookingStage extends Stage {
  readonly airline: Airline;
}

/** Rates with decimals that multiply to half centavos. */
const exchangeRates = '{ "USD": { "2026-11-17": "5.3417" }, "EUR": { "2026-11-17": "6.1705" } }';

/** The same behaviours through both doors, each on one of the engines, with an airline that does as it is told. */
export function describeBookings(
  title: string,
  tests: (stage: BookingStage) => void,
  settings: Record<string, string> = {},
): void {
  const airline = new Airline();
  describeDoors(
    title,
    (stage) => {
      beforeEach(() => airline.reset());
      tests(Object.defineProperty(stage, 'airline', { value: airline, configurable: true }) as BookingStage);
    },
    {
      settings: {
        EXCHANGE_RATE_TABLE: exchangeRates,
        FLIGHT_SUPPLIER_TIMEOUT: '1h',
        FLIGHT_ORDER_TIMEOUT: '300ms',
        ...settings,
      },
      flightSuppliers: [airline],
      inPairs: true,
    },
  );
}

/** The two doors of a server that listens at a URL. */
export function doorsAt(url: string): [Door, Door] {
  const at = () =>
    ({
      rest: (method, path, options) => client.restRequest(url, method, path, options),
      graphql: (query, variables, key, headers) => client.graphqlDoor(url, query, variables, key, headers),
    }) as TestServer;
  return [restDoor(at), graphqlDoor(at)];
}

/** A team that adds nothing to prices, with so much in its live wallet. */
export async function agencyWith(stage: Stage, balance: string | null): Promise<TeamKeys> {
  const team = await stage.server.createTeam({ markupPercent: '0', feeAmount: '0.00' });
  if (balance !== null) await completedRecharge(stage, team, balance);
  return team;
}

const oneAdult = [{ type: 'adult', count: 1 }];

/** Of each type of passenger one at least. */
export const family = [
  { type: 'adult', count: 2 },
  { type: 'child', count: 1 },
  { type: 'infant_without_seat', count: 1 },
];

/** What the airline offers now, to one adult from São Paulo to Rio unless another party or route is named. */
export async function offered(
  { server, airline }: BookingStage,
  key: string,
  { route = 'GRU-GIG', ...terms }: AirlineTerms & { route?: string } = {},
  passengers: Json = oneAdult,
  departureDate = '2026-12-10',
): Promise<Json> {
  airline.terms = terms;
  const [origin, destination] = route.split('-');
  const { body } = await server.rest('POST', '/api/v1/flights/search', {
    key,
    body: { type: 'one_way', slices: [{ origin, destination, departureDate }], passengers },
  });
  expect(body.offers, JSON.stringify(body)).toHaveLength(1);
  return body.offers[0];
}

const births: Record<string, string> = {
  adult: '1990-05-01',
  child: '2019-05-01',
  infant_without_seat: '2026-05-01',
};

/** People without fault for the passengers of an offer. */
export function travellersOf(offer: Json): Json[] {
  const infants = offer.passengers.filter(({ type }: Json) => type === 'infant_without_seat');
  return offer.passengers.map(({ id, type }: Json, index: number) => {
    const infant = type === 'adult' ? infants.shift() : null;
    return {
      id,
      given_name: ['Ana', 'José', 'Inês', 'João'][index % 4],
      family_name: 'Souza',
      born_on: births[type],
      gender: index % 2 === 0 ? 'f' : 'm',
      email: 'ana@example.com',
      phone_number: '+5511987654321',
      identity_document: { type: 'cpf', number: cpfOf(String(123_456_780 + index)) },
      ...(infant ? { infant_passenger_id: infant.id } : {}),
    };
  });
}

export const balancePayment = (amount: string) => [{ type: 'balance', amount, currency: 'BRL' }];

/** A request for an offer that nothing is wrong with. */
export const requestFor = (offer: Json, type: 'instant' | 'hold' = 'instant'): Json => ({
  offerId: offer.id,
  type,
  passengers: travellersOf(offer),
  ...(type === 'instant' ? { payments: balancePayment(offer.client_amount) } : {}),
});

/** A day, counted from now by the machine's clock. */
export const inDays = (days: number) =>
  new Date(Date.now() + days * 24 * 3_600_000).toISOString().slice(0, 10);

export const inHours = (stage: Stage, hours: number) =>
  new Date(stage.clock.now().getTime() + hours * 3_600_000);

/** A hold of an hour's offer; it must be paid within twenty minutes, because the offer lives no longer. */
export async function held(stage: BookingStage, key: string, terms: AirlineTerms = {}): Promise<Json> {
  const offer = await offered(stage, key, { holdUntil: inHours(stage, 1), ...terms });
  return dataOf(await stage.door.createBooking(key, requestFor(offer, 'hold')));
}

/** A booking that is paid at once. */
export async function booked(stage: BookingStage, key: string, terms: AirlineTerms = {}): Promise<Json> {
  const offer = await offered(stage, key, terms);
  return dataOf(await stage.door.createBooking(key, requestFor(offer)));
}

/** Lets time pass until a booking has come to a state: suppliers are asked again by the server's clock. */
export async function untilStatus(
  { door, clock }: Pick<BookingStage, 'door' | 'clock'>,
  key: string,
  id: string,
  status: string,
): Promise<Json> {
  return eventually(async () => {
    const booking = dataOf(await door.getBooking(key, id));
    if (booking.status === status) return booking;
    clock.advance(250);
    return null;
  });
}

/** Lets time pass until the airline was asked so often about a booking. */
export const untilAsked = (
  { airline, clock }: BookingStage,
  id: string,
  method: 'hold' | 'issue' | 'cancel',
  count = 1,
) =>
  eventually(() => {
    clock.advance(250);
    return airline.askedFor(id, method).length >= count;
  });

/** Only GraphQL has it: the bodies of REST and of events are specified to the letter. */
export async function carrierReferenceOf(
  { server }: Pick<Stage, 'server'>,
  key: string,
  id: string,
): Promise<string | null> {
  const query = 'query ($id: String!) { booking(id: $id) { carrierReference } }';
  const { body } = await server.graphql(query, { id }, key);
  return body.data.booking.carrierReference;
}

/** Balance, available credit and pending amount. */
export async function moneyOf(door: Door, key: string): Promise<string[]> {
  const { balance, available_credit: available, pending_amount: pending } = dataOf(await door.balance(key));
  return [balance, available, pending];
}

export interface ToldEvent {
  type: string;
  data: { object: Json; previous_attributes?: Json };
}

/** What was told of a booking and its money, in order. */
export async function toldOf({ server }: Pick<Stage, 'server'>, id: string): Promise<ToldEvent[]> {
  return server.query<ToldEvent>(
    `SELECT type, data FROM events
      WHERE subject_id = $1 OR data #>> '{object,reference_id}' = $1 OR type = 'wallet.low_balance'
        AND wallet_id = (SELECT wallet_id FROM bookings WHERE id = $1)
      ORDER BY sequence`,
    [id],
  );
}

export const typesOf = (events: readonly ToldEvent[]) => events.map(({ type }) => type);

export const conflict = (message: string, code = 'VALIDATION_ERROR'): Refusal => ({
  status: 409,
  code,
  message,
});
export const unprocessable = (message: string, code = 'VALIDATION_ERROR', details?: Json): Refusal => ({
  status: 422,
  code,
  message,
  ...(details ? { details } : {}),
});
export const alreadyCancelled = conflict('Booking already cancelled', 'BOOKING_ALREADY_CANCELLED');
export const insufficientBalance = (amount: string) =>
  unprocessable('Insufficient balance', 'INSUFFICIENT_BALANCE', { amount });
