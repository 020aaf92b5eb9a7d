import type { PassengerType } from './passengerType.ts';

/**
 * What a flight supplier is asked for once an offer is booked. Cast: an order is the supplier's side of one booking; a
 * traveller is a person with the particulars that carriers ask for; documents are the tickets that carriers issue.
 */

/** As in machine-readable travel documents (ICAO Doc 9303): female, male, unspecified. */
export type Gender = 'f' | 'm' | 'x';

export type IdentityDocumentType = 'cpf' | 'rg' | 'passport';

export interface IdentityDocument {
  readonly type: IdentityDocumentType;
  /** As it is printed, without surrounding space. */
  readonly number: string;
  /** ISO 3166-1 alpha-2; null for Brazilian documents, whose country is BR. */
  readonly issuingCountry: string | null;
  /** YYYY-MM-DD; null for documents that do not expire. */
  readonly expiresOn: string | null;
}

export interface Traveller {
  /** Id of the offer's passenger, prefix pas_. */
  readonly id: string;
  readonly type: PassengerType;
  readonly givenName: string;
  readonly familyName: string;
  /** YYYY-MM-DD. */
  readonly bornOn: string;
  readonly gender: Gender;
  readonly email: string;
  /** E.164: +5511987654321. */
  readonly phoneNumber: string;
  readonly identityDocument: IdentityDocument;
  /** The infant on this adult's lap; null without one. */
  readonly infantPassengerId: string | null;
}

export interface OrderRequest {
  /** Our booking's id: a supplier makes one order for it, however often it is asked. */
  readonly bookingId: string;
  /** SupplierOffer.reference of the offer that is booked: all that is known of the offer here. */
  readonly offerReference: string;
  /** Six characters under which the order is found in our books: not the carrier's (`OrderState.carrierReference`). */
  readonly locator: string;
  /** In the order of the search's passengers, each of the type that was asked for there. */
  readonly travellers: readonly Traveller[];
  readonly testMode: boolean;
  /** When the booking was made. */
  readonly bookedAt: Date;
  /**
   * When issuing was first asked for, the same in every repetition: the payment, which for a held order is its
   * confirmation. Null while there was none.
   */
  readonly issueFrom: Date | null;
  /** What the desk last kept of this order (`OrderOptions.keepNote`); null as long as it has kept nothing. */
  readonly note: string | null;
}

/** What a desk is handed with each request. */
export interface OrderOptions {
  /** Aborts once the asking has taken too long; whatever is answered afterwards is not heard. */
  readonly signal: AbortSignal;
  /**
   * Keeps a text of at most `longestNote` characters with the booking, in place of the one before; every later request
   * for it has it as `note`, whatever it asks for and whatever has died meanwhile. Operators see it, so nothing of the
   * travellers and no secret belongs there.
   * @throws Error when this asking has been given up, and another may have begun that does not know of the note: then
   *   nothing more may be asked of the supplier.
   */
  keepNote(note: string): Promise<void>;
}

export const longestNote = 1_000;

/**
 * What an adapter throws when it is told how long it may not ask, as by a Retry-After: like any error it says nothing of the
 * order, which is asked for again no sooner than after `pauseMs`, an hour at most.
 */
export class AskLater extends Error {
  readonly pauseMs: number;

  constructor(message: string, pauseMs: number, options?: ErrorOptions) {
    super(message, options);
    // A Retry-After may have been handed on as it came, and have a date.
    this.pauseMs = typeof pauseMs === 'number' && pauseMs > 0 ? pauseMs : 0;
  }
}

/** A ticket that a carrier issued. Flights of carriers that issue none cannot be sold, because nothing ends their orders. */
export interface TravelDocument {
  readonly type: 'electronic_ticket';
  /** Ticket number: three digits of the airline, a hyphen, ten digits (IATA Resolution 722f). */
  readonly uniqueIdentifier: string;
  readonly passengerId: string;
}

/** What may be told with every answer that shows an order. */
export interface CarrierLocator {
  /**
   * The carrier's own record locator (PNR), with which travellers check in at the airline: up to a hundred characters of
   * printable ASCII without space, and anything else makes the answer none; of several carriers, that of the first
   * flight. It may be told as soon as it is known. The last that was told counts, and an answer without one, or with
   * null, changes nothing.
   */
  readonly carrierReference?: string | null;
}

/**
 * Where an order stands. `ticketed` and `refused` (the supplier did not hold, or the carrier did not issue) are final:
 * nothing more is asked about it, and what a carrier changes after it has issued the tickets is not heard of.
 */
export type OrderState =
  | ({ readonly state: 'held' } & CarrierLocator)
  | ({ readonly state: 'issuing' } & CarrierLocator)
  /** At least one document for each traveller, infants too. */
  | ({ readonly state: 'ticketed'; readonly documents: readonly TravelDocument[] } & CarrierLocator)
  /** `reason` is for the log only. */
  | { readonly state: 'refused'; readonly reason: string };

/**
 * The part of a flight supplier that books. Every method may be called again with the same request, by any process and
 * after any crash: it then says how the order stands, and never makes a second one. One asking comes after the other, but
 * that of a process which stops or dies may still be under way when another repeats it.
 *
 * A supplier whose own idempotency keys hold for good gets the booking's id as one. With any other, an answer that was
 * lost leaves open whether the order will be there: it may be made after the request was cut off, and be found in lists
 * later still. So a desk looks for the order first; before it sends what makes one, it keeps a note of that and of the
 * time; and as long as a noted request may still come through, an order that cannot be found is undecided: neither made
 * again, nor `refused`, nor given up. The order's own id is worth the next note.
 *
 * An answer is believed. Any error means that nothing is known: it is logged, message and all, and the caller asks
 * again, after a quarter of a second first and up to a minute later on, or as late as `AskLater` says, until there is an
 * answer or an operator settles the booking. So errors are right for what passes (a cut connection, 429, 5xx) and for
 * what others must mend first (a key that is not taken any more), and `refused` for what no repetition changes.
 */
export interface OrderDesk {
  /**
   * Reserves space without payment until the offer's payment deadline: `held`, or `refused`, after which nobody asks to
   * give up what was reserved all the same. An error while that is open.
   */
  hold(request: OrderRequest, options: OrderOptions): Promise<OrderState>;
  /**
   * Has tickets issued, for a held order or a new one, at the price of the offer: `issuing` until the carrier has issued
   * all of them, and while it is open whether there is an order. What is `refused` the agency gets back in full, and
   * `cancel` is asked next.
   */
  issue(request: OrderRequest, options: OrderOptions): Promise<OrderState>;
  /**
   * Gives up the order, its space and its tickets; also one that was never made, or has been given up. By then the agency
   * has been given back what the offer's conditions promise, whatever the supplier gives back. An error where it refuses,
   * so that operators see it among the waiting orders.
   */
  cancel(request: OrderRequest, options: OrderOptions): Promise<void>;
}
