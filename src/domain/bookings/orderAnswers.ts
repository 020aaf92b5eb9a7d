import type { OrderRequest, OrderState, TravelDocument } from '../../infrastructure/flights/order.ts';
import { isPrintableName } from '../../infrastructure/text/printableName.ts';

/** A supplier's answer to an order that makes no sense: as good as none, so it is asked again. */
export class UnusableAnswer extends Error {}

const states: ReadonlySet<unknown> = new Set<OrderState['state']>(['held', 'issuing', 'ticketed', 'refused']);

/**
 * What a supplier answered, if it can be believed: adapters are written by many, and a ticket that is told once to
 * clients and events cannot be taken back.
 * @throws UnusableAnswer for an unknown state, for a carrier's locator that can be none, and for tickets that are not for
 *   exactly those who travel.
 */
export function checkAnswer(answer: OrderState, { travellers }: OrderRequest): OrderState {
  const { state, documents, carrierReference } = (answer ?? {}) as Partial<Record<string, unknown>>;
  if (!states.has(state)) throw new UnusableAnswer('an order in no known state');
  if (state !== 'refused' && (carrierReference ?? null) !== null && !isPrintableName(carrierReference))
    throw new UnusableAnswer('a locator of the carrier that can be none');
  if (state !== 'ticketed') return answer;
  if (!Array.isArray(documents) || !documents.every(isDocument))
    throw new UnusableAnswer('tickets without type, number or passenger');
  const ticketed = new Set(documents.map(({ passengerId }) => passengerId));
  if (ticketed.size !== travellers.length || travellers.some(({ id }) => !ticketed.has(id)))
    throw new UnusableAnswer('tickets for others than the travellers');
  return answer;
}

/** The carrier's locator that comes with an answer; null for none. */
export const carrierReferenceOf = (answer: OrderState | null): string | null =>
  answer === null || answer.state === 'refused' ? null : (answer.carrierReference ?? null);

const isDocument = (document: Partial<TravelDocument> | null): document is TravelDocument =>
  isPrintableName(document?.type) &&
  isPrintableName(document.uniqueIdentifier) &&
  isPrintableName(document.passengerId);
