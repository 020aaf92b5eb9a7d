import { expect } from 'vitest';
import type { Json } from '../harness/client.ts';
import type { BookingStage } from './bookingSteps.ts';

/** What operators ask and decide about orders that suppliers leave undecided. */

const fields =
  'bookingId teamId mode supplier bookingReference carrierReference status passengerIds task timesAsked since note';

const documents = {
  waitingOrders: `query ($timesAsked: Int = 0, $page: PageNumber = 1, $limit: PageSize = 100) {
    outcome: waitingOrders(timesAsked: $timesAsked, page: $page, limit: $limit) { items { ${fields} } pagination { total } }
  }`,
  supplierOrder: `query ($bookingId: String!) { outcome: supplierOrder(bookingId: $bookingId) { ${fields} } }`,
  failBooking: `mutation ($bookingId: String!) { outcome: failBooking(bookingId: $bookingId) { ${fields} } }`,
  cancelForCarrier: `mutation ($bookingId: String!) { outcome: cancelForCarrier(bookingId: $bookingId) { ${fields} } }`,
  dropCancellation: `mutation ($bookingId: String!) { outcome: dropCancellation(bookingId: $bookingId) { ${fields} } }`,
  recordTickets: `mutation ($bookingId: String!, $tickets: [TicketInput!]!, $carrierReference: String) {
    outcome: recordTickets(bookingId: $bookingId, tickets: $tickets, carrierReference: $carrierReference) { ${fields} }
  }`,
};

type Name = keyof typeof documents;

/** The whole answer. */
export async function ask({ server }: BookingStage, name: Name, variables: Json): Promise<Json> {
  const { body } = await server.graphql(documents[name], variables, server.keys.operator);
  return body;
}

/** The value of an operation that succeeds. */
export async function operate(stage: BookingStage, name: Name, variables: Json): Promise<Json> {
  const body = await ask(stage, name, variables);
  expect(body.errors).toBeUndefined();
  return body.data.outcome;
}

/** An operation that fails, and as it is expected to. */
export async function refused(
  stage: BookingStage,
  name: Name,
  variables: Json,
  expected: Json,
): Promise<void> {
  const { data, errors } = await ask(stage, name, variables);
  expect(data).toEqual({ outcome: null });
  const [{ message, extensions }] = errors;
  expect({ message, ...extensions }).toMatchObject(expected);
}

export const conflict = (message: string, details: Json) => ({ message, code: 'VALIDATION_ERROR', details });
