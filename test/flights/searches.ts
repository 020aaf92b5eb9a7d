import type { Json } from '../harness/client.ts';
import type { TestServer } from '../harness/server.ts';

/** What came back through a door, in the spelling of the REST interface. */
export interface SearchOutcome {
  status: number;
  headers: Headers;
  /** The flight offers response, or null when refused. */
  found: Json;
  error: Json;
  meta: Json;
}

export interface FlightDoor {
  readonly name: 'REST' | 'GraphQL';
  /** A member of the search as clients of this door spell its path. */
  spelt(field: string): string;
  /** The statuses that this door may give a refusal, by the one that REST gives it. */
  refusedWith(status: number): readonly number[];
  search(key: string | null, request: Json): Promise<SearchOutcome>;
}

const place = '{ iataCode name cityName iataCityCode timeZone }';
const condition = '{ allowed penaltyAmount penaltyCurrency }';
export const offerFields = `id totalAmount totalCurrency clientAmount clientCurrency originalAmount originalCurrency
  exchangeRateUsed baseCostBrl agencyMarkupPercent agencyMarkupAmount agencyFeeAmount totalAgencyCommission
  markupApplied feeApplied expiresAt owner { iataCode name }
  slices {
    id origin ${place} destination ${place} duration
    segments {
      id origin { iataCode name terminal } destination { iataCode name terminal } departingAt arrivingAt
      operatingCarrier { iataCode name logoSymbolUrl } marketingCarrier { iataCode name }
      operatingCarrierFlightNumber marketingCarrierFlightNumber aircraft { iataCode name } duration distance
      passengers {
        passengerId cabinClass cabinClassMarketingName fareBasisCode baggages { type quantity }
      }
    }
  }
  passengers { id type fareBrandName loyaltyProgrammeAccounts { airlineIataCode accountNumber } }
  conditions { refundBeforeDeparture ${condition} changeBeforeDeparture ${condition} }
  paymentRequirements { requiresInstantPayment priceGuaranteeExpiresAt paymentRequiredBy }`;

const searchDocument = `query ($search: FlightSearchInput!) {
  flightSearch(search: $search) {
    id offers { ${offerFields} } slices { origin ${place} destination ${place} departureDate } passengers { id type }
  }
}`;

/** Members as REST spells them: iata_code of iataCode. */
export function inSnakeCase(value: Json): Json {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  const spell = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [spell(name), inSnakeCase(member)]),
  );
}

export function restFlights(server: () => TestServer): FlightDoor {
  return {
    name: 'REST',
    spelt: (field) => field,
    refusedWith: (status) => [status],
    async search(key, body) {
      const answer = await server().rest('POST', '/api/v1/flights/search', { key, body });
      const { status, headers } = answer;
      const { _meta: meta, ...found } = answer.body;
      const refused = status !== 200;
      return {
        status,
        headers,
        found: refused ? null : found,
        error: refused ? answer.body.error : null,
        meta,
      };
    },
  };
}

/** The same search as GraphQL clients send it, in the variable `search`. */
export function graphqlFlights(server: () => TestServer): FlightDoor {
  return {
    name: 'GraphQL',
    spelt: (field) => `search.${field}`,
    // Only what keeps an operation from running is no success of HTTP: arguments that are not of their types.
    refusedWith: (status) => (status === 400 ? [200, 400] : [200]),
    async search(key, search) {
      const { status, headers, body } = await server().graphql(searchDocument, { search }, key);
      const [error] = body.errors ?? [];
      return {
        status,
        headers,
        found: error ? null : inSnakeCase(body.data.flightSearch),
        error: error ? { message: error.message, ...error.extensions } : null,
        meta: body.extensions?._meta,
      };
    },
  };
}

/** A request for one adult from `route` ("GRU-LIS"), to which members can be added. */
export const oneWay = (route: string, departureDate = '2026-12-10', more: Json = {}): Json => {
  const [origin, destination] = route.split('-');
  return {
    type: 'one_way',
    slices: [{ origin, destination, departureDate }],
    passengers: [{ type: 'adult', count: 1 }],
    ...more,
  };
};

export const roundTrip = (route: string, more: Json = {}): Json => {
  const [origin, destination] = route.split('-');
  return {
    type: 'round_trip',
    slices: [
      { origin, destination, departureDate: '2026-12-10' },
      { origin: destination, destination: origin, departureDate: '2026-12-20' },
    ],
    passengers: [{ type: 'adult', count: 1 }],
    ...more,
  };
};

/** An earlier offer, in the spelling of REST; null with the error's code and message when there is none. */
export async function readOffer(server: TestServer, key: string, id: string): Promise<Json> {
  const { body } = await server.graphql(
    `query ($id: String!) { offer(id: $id) { ${offerFields} } }`,
    { id },
    key,
  );
  const [error] = body.errors ?? [];
  return error ? { code: error.extensions.code, message: error.message } : inSnakeCase(body.data.offer);
}
