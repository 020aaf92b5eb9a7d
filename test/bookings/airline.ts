import type {
  OrderDesk,
  OrderOptions,
  OrderRequest,
  OrderState,
} from '../../src/infrastructure/flights/order.ts';
import { simulatedSupplier } from '../../src/infrastructure/flights/simulated/simulatedSupplier.ts';
import type {
  Baggage,
  CarrierCurrency,
  FlightSupplier,
  SupplierCondition,
  SupplierOffer,
  SupplierSearch,
} from '../../src/infrastructure/flights/supplier.ts';
import { TestClock } from '../harness/testClock.ts';

/** What the next offer is like. */
export interface AirlineTerms {
  /** In BRL unless another currency is said. */
  price?: string;
  currency?: CarrierCurrency;
  /** Null for a fare that gives nothing back; "0.00" unless said. */
  penalty?: string | null;
  /** A refund that is allowed at a price nobody knows. */
  unknownPenalty?: boolean;
  /** A refund that is not allowed, though there is a penalty for it. */
  forbidsRefund?: boolean;
  /** Until when it may be held; without it payment is instant. */
  holdUntil?: Date;
  /** Until when the price of a hold is kept: as long as the hold unless said. */
  guaranteedUntil?: Date;
  expiresAt?: Date;
  /** When the flight that passengers change to leaves, by local time; any flight or none unless said. */
  changeTo?: string;
  /** What everybody takes along on each flight; what the simulated world has unless said. */
  bags?: readonly Baggage[];
}

type Ask = keyof OrderDesk;
type Answers = {
  -readonly [Method in Ask]: (
    request: OrderRequest,
    signal: AbortSignal,
    keepNote: OrderOptions['keepNote'],
  ) => Promise<OrderState | undefined>;
};

/** A ticket for each traveller, numbered by their places. */
export const ticketed = ({ travellers }: OrderRequest): OrderState & { state: 'ticketed' } => ({
  state: 'ticketed',
  documents: travellers.map(({ id }, index) => ({
    type: 'electronic_ticket',
    uniqueIdentifier: `957-000000000${index}`,
    passengerId: id,
  })),
});

/** An answer that the test gives when it likes. */
export function deferred<Answer>() {
  let resolve: (answer: Answer) => void = () => undefined;
  const promise = new Promise<Answer>((give) => {
    resolve = give;
  });
  return { promise, resolve };
}

export const never = () => new Promise<OrderState>(() => undefined);

/**
 * A flight supplier that does what the test says. A search finds one flight of the simulated world, at chosen terms; it
 * holds whatever it is asked to, and issues nothing until it is told to.
 */
export class Airline implements FlightSupplier {
  readonly name: string;
  terms: AirlineTerms = {};
  /** What it is asked, in order; every asking counts. */
  readonly asked: { method: Ask; request: OrderRequest }[] = [];
  answers: Answers;
  readonly #world = simulatedSupplier(new TestClock());
  readonly #flights = new Map<string, SupplierOffer | null>();
  #offers = 0;

  constructor(name = 'airline') {
    this.name = name;
    this.answers = this.#patient();
  }

  reset(): void {
    this.terms = {};
    this.answers = this.#patient();
  }

  #patient(): Answers {
    return {
      hold: async () => ({ state: 'held' }),
      issue: async () => ({ state: 'issuing' }),
      cancel: async () => undefined,
    };
  }

  /** What it was asked of one booking. */
  askedFor(bookingId: string, method: Ask): OrderRequest[] {
    return this.asked
      .filter((one) => one.method === method && one.request.bookingId === bookingId)
      .map(({ request }) => request);
  }

  async search(search: SupplierSearch, options: { signal: AbortSignal }): Promise<SupplierOffer[]> {
    const found = await this.#flightFor(search, options);
    if (!found) return [];
    const { price, currency = 'BRL', holdUntil, guaranteedUntil = holdUntil, expiresAt = null } = this.terms;
    this.#offers += 1;
    return [
      {
        ...found,
        slices: this.#packed(found.slices),
        reference: `${found.reference}#${this.#offers}`,
        currency,
        totalAmount: price ?? '400.00',
        expiresAt,
        conditions: {
          refundBeforeDeparture: this.#refund(),
          changeBeforeDeparture: { allowed: false, penaltyAmount: null },
        },
        payment:
          holdUntil && guaranteedUntil
            ? {
                requiresInstantPayment: false,
                priceGuaranteeExpiresAt: guaranteedUntil,
                paymentRequiredBy: holdUntil,
              }
            : { requiresInstantPayment: true },
      },
    ];
  }

  /** The simulated world lays out every flight of a day; one will do for all searches that are the same. */
  async #flightFor(search: SupplierSearch, options: { signal: AbortSignal }): Promise<SupplierOffer | null> {
    const { changeTo } = this.terms;
    const key = JSON.stringify([search.slices, search.passengers, search.cabinClass, changeTo]);
    let found = this.#flights.get(key);
    if (found === undefined) {
      const offers = await this.#world.search({ ...search, testMode: false }, options);
      const isChosen = ({ slices }: SupplierOffer) =>
        changeTo === undefined ||
        slices.some(({ segments }) => segments.at(1)?.flight.departingAt === changeTo);
      found = offers.find(isChosen) ?? null;
      this.#flights.set(key, found);
    }
    return found;
  }

  #packed(slices: SupplierOffer['slices']): SupplierOffer['slices'] {
    const { bags: baggages } = this.terms;
    if (!baggages) return slices;
    return slices.map((slice) => ({
      ...slice,
      segments: slice.segments.map(({ flight, passengers }) => ({
        flight,
        passengers: passengers.map((travel) => ({ ...travel, baggages })),
      })),
    }));
  }

  #refund(): SupplierCondition {
    const { penalty = '0.00', unknownPenalty = false, forbidsRefund = penalty === null } = this.terms;
    return { allowed: !forbidsRefund, penaltyAmount: unknownPenalty ? null : penalty };
  }

  readonly orders: OrderDesk = {
    hold: (request, options) => this.#ask('hold', request, options) as Promise<OrderState>,
    issue: (request, options) => this.#ask('issue', request, options) as Promise<OrderState>,
    cancel: async (request, options) => void (await this.#ask('cancel', request, options)),
  };

  #ask(method: Ask, request: OrderRequest, { signal, keepNote }: OrderOptions) {
    this.asked.push({ method, request });
    return this.answers[method](request, signal, keepNote);
  }
}
