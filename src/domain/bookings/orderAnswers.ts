import type { OrderRequest, OrderState, TravelDocument } from '../../infrastructure/flights/order.ts';
import { isPrintableName } from '../../infrastructure/text/printableName.ts';
import type { Unsettled } from './orderTask.ts';

/** A supplier's answer to an order that makes no sense: as good as none, so it is asked again. */
class UnusableAnswer extends Error {}

const states: readonly unknown[] = ['held', 'issuing', 'ticketed', 'refused'] satisfies OrderState['state'][];

const isState = (value: unknown): value is OrderState['state'] => states.includes(value);

/**
 * What a supplier answered, if it can be believed: adapters are written by many, and a ticket that is told once to
 * clients and events cannot be taken back. It is read here once: what came may say something else the next time, or break.
 * @throws UnusableAnswer for an unknown state, for a carrier's locator that can be none, and for tickets that are not for
 *   exactly those who travel.
 */
export function checkAnswer(answer: OrderState, { travellers }: OrderRequest): OrderState {
  const { state, documents, carrierReference, reason } = (answer ?? {}) as Partial<Record<string, unknown>>;
  if (!isState(state)) throw new UnusableAnswer('an order in no known state');
  if (state === 'refused') return { state, reason: reason as string };
  const locator = carrierReference ?? null;
  if (locator !== null && !isPrintableName(locator))
    throw new UnusableAnswer('a locator of the carrier that can be none');
  if (state !== 'ticketed') return { state, carrierReference: locator };
  const told = Array.isArray(documents) ? documents.map(documentOf) : [null];
  if (!told.every((document) => document !== null))
    throw new UnusableAnswer('tickets without type, number or passenger');
  const ticketed = new Set(told.map(({ passengerId }) => passengerId));
  if (ticketed.size !== travellers.length || travellers.some(({ id }) => !ticketed.has(id)))
    throw new UnusableAnswer('tickets for others than the travellers');
  return { state, documents: told, carrierReference: locator };
}

/** The carrier's locator that comes with an answer; null for none. */
export const carrierReferenceOf = (answer: OrderState | null): string | null =>
  answer === null || answer.state === 'refused' ? null : (answer.carrierReference ?? null);

/** What an answer that settles nothing leaves; null for none. */
export const unsettledBy = (answer: OrderState | null): Unsettled => ({
  isAnswered: answer !== null,
  carrierReference: carrierReferenceOf(answer),
});

function documentOf(document: Partial<TravelDocument> | null): TravelDocument | null {
  const { type, uniqueIdentifier, passengerId } = document ?? {};
  return isPrintableName(type) && isPrintableName(uniqueIdentifier) && isPrintableName(passengerId)
    ? { type, uniqueIdentifier, passengerId }
    : null;
}
