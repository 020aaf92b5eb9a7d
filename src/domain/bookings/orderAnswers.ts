import type { OrderRequest, OrderState, TravelDocument } from '../../infrastructure/flights/order.ts';
import { isPrintableName } from '../../infrastructure/printableName.ts';

/** A supplier's answer to an order that makes no sense: as good as none, so it is asked again. */
export class UnusableAnswer extends Error {}

const states: ReadonlySet<unknown> = new Set<OrderState['state']>(['held', 'issuing', 'ticketed', 'refused']);

/**
 * What a supplier answered, if it can be believed: adapters are written by many, and a ticket that is told once to
 * clients and events cannot be taken back.
 * @throws UnusableAnswer for an unknown state, and for tickets that are not for exactly those who travel.
 */
export function checkAnswer(answer: OrderState, { travellers }: OrderRequest): OrderState {
  const { state, documents } = (answer ?? {}) as { state?: unknown; documents?: unknown };
  if (!states.has(state)) throw new UnusableAnswer('an order in no known state');
  if (state !== 'ticketed') return answer;
  if (!Array.isArray(documents) || !documents.every(isDocument))
    throw new UnusableAnswer('tickets without type, number or passenger');
  const ticketed = new Set(documents.map(({ passengerId }) => passengerId));
  if (ticketed.size !== travellers.length || travellers.some(({ id }) => !ticketed.has(id)))
    throw new UnusableAnswer('tickets for others than the travellers');
  return answer;
}

const isDocument = (document: Partial<TravelDocument> | null): document is TravelDocument =>
  isPrintableName(document?.type) &&
  isPrintableName(document.uniqueIdentifier) &&
  isPrintableName(document.passengerId);
