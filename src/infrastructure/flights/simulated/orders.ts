import { createHash } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { accountingCodeOf } from '../accountingCodes.ts';
import type { OrderDesk, OrderRequest, OrderState, TravelDocument } from '../order.ts';

/** How the sandbox answers a magic name when it is asked to issue. */
type Issuing = 'fails' | 'unreachable' | 'slow' | 'usual';

/** What TICKETSLOW adds to five times the delay, and how long TICKETERROR is out of reach. */
const magicMs = 2_000;

/**
 * The order desk of the simulated supplier. It remembers nothing: how an order stands follows from the request and the
 * clock, so that any process says the same after any crash. Every answer but a refusal tells the carrier's locator.
 * Tickets are issued `ticketingDelayMs` after `issueFrom` (after `bookedAt` where that is null), under numbers that follow
 * each other, as those of one party do. It cannot remember that an order was cancelled, and would still issue it: whoever
 * keeps the bookings must not ask.
 *
 * Magic family names, of any traveller and in any case, try each ending with a test key. Live bookings under these
 * names are ordinary. Where several apply, the first of the table counts.
 *
 * | family_name | behaviour |
 * |---|---|
 * | HOLDFAIL | a hold is refused |
 * | TICKETFAIL | the airline refuses to issue, at the moment when it would have issued |
 * | TICKETERROR | the supplier cannot be reached for 2 s after issuing was asked for, then issues as usual |
 * | TICKETSLOW | tickets take five times the delay and 2 s more |
 */
export function simulatedOrders(clock: Clock, ticketingDelayMs: number): OrderDesk {
  return {
    async hold(request, { signal }) {
      signal.throwIfAborted();
      return isNamed(request, 'HOLDFAIL')
        ? { state: 'refused', reason: 'no space could be held (magic name HOLDFAIL)' }
        : { state: 'held', carrierReference: carrierReferenceOf(request) };
    },
    async issue(request, { signal }) {
      signal.throwIfAborted();
      const elapsedMs = clock.now().getTime() - (request.issueFrom ?? request.bookedAt).getTime();
      return issueState(request, elapsedMs, ticketingDelayMs);
    },
    async cancel(_request, { signal }) {
      signal.throwIfAborted();
    },
  };
}

function issueState(request: OrderRequest, elapsedMs: number, delayMs: number): OrderState {
  const issuing = issuingOf(request);
  const carrierReference = carrierReferenceOf(request);
  if (issuing === 'unreachable' && elapsedMs < magicMs)
    throw new Error('the supplier cannot be reached (magic name TICKETERROR)');
  if (elapsedMs < (issuing === 'slow' ? 5 * delayMs + magicMs : delayMs))
    return { state: 'issuing', carrierReference };
  if (issuing === 'fails') return { state: 'refused', reason: 'not issued (magic name TICKETFAIL)' };
  return { state: 'ticketed', documents: ticketsOf(request), carrierReference };
}

function issuingOf(request: OrderRequest): Issuing {
  if (isNamed(request, 'TICKETFAIL')) return 'fails';
  if (isNamed(request, 'TICKETERROR')) return 'unreachable';
  return isNamed(request, 'TICKETSLOW') ? 'slow' : 'usual';
}

const isNamed = ({ testMode, travellers }: OrderRequest, magicName: string) =>
  testMode && travellers.some(({ familyName }) => familyName.trim().toUpperCase() === magicName);

/** Without vowels, so that they make no words. */
const carrierLetters = 'BCDFGHJKLMNPQRSTVWXYZ';

/** Six letters, for a booking always the same. */
function carrierReferenceOf({ bookingId }: OrderRequest): string {
  const hash = createHash('sha256').update(`carrier ${bookingId}`).digest();
  return Array.from(hash.subarray(0, 6), (byte) => carrierLetters[byte % carrierLetters.length]).join('');
}

/** Ten digits. */
const ticketNumbers = 10n ** 10n;

/** One ticket for each traveller, infants too, on the stock of the airline whose flight is first. */
function ticketsOf({ bookingId, offerReference, travellers }: OrderRequest): TravelDocument[] {
  const stock = accountingCodeOf(offerReference.slice(0, 2));
  const hash = createHash('sha256').update(bookingId).digest().readBigUInt64BE();
  const first = hash % (ticketNumbers - BigInt(travellers.length));
  const order = travellers.map(({ id }) => id).sort();
  return travellers.map(({ id }) => ({
    type: 'electronic_ticket',
    uniqueIdentifier: `${stock}-${String(first + BigInt(order.indexOf(id))).padStart(10, '0')}`,
    passengerId: id,
  }));
}
