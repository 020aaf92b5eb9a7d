import { expect } from 'vitest';
import type { Json } from '../harness/client.ts';
import { type DoorStage, describeThrough, type Staging } from '../harness/doorStages.ts';
import { sentAgain } from '../harness/sentAgain.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { graphqlDoor } from './graphqlDoor.ts';
import { restDoor } from './restDoor.ts';

/** What came back through a door, spelt the same for both: data as the REST resources spell it. */
export type Outcome = Answered &
  ({ ok: true; data: Json } | { ok: false; error: { code: string; message: string; details: Json } });

interface Answered {
  /** HTTP status, where the door says with it what became of the operation; otherwise null. */
  status: number | null;
  headers: Headers;
  /** The answer is an earlier one's, repeated for its Idempotency-Key. */
  replayed: boolean;
  /** The notice of test mode, undefined without one. */
  meta: Json;
  /** The body's bytes. */
  text: string;
}

export interface TransactionFilter {
  page?: unknown;
  limit?: unknown;
  type?: unknown;
  start_date?: unknown;
  end_date?: unknown;
}

export interface BookingFilter {
  page?: unknown;
  limit?: unknown;
  status?: unknown;
  created_after?: unknown;
  order_by?: unknown;
  order_dir?: unknown;
}

export interface CallOptions {
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

type Key = string | null;

/** The operations that both doors offer. Each test of behaviour speaks to this and runs through REST and GraphQL. */
export interface Door {
  readonly name: 'REST' | 'GraphQL';
  balance(key: Key, options?: CallOptions): Promise<Outcome>;
  transactions(key: Key, filter?: TransactionFilter, options?: CallOptions): Promise<Outcome>;
  createRecharge(key: Key, input: Json, options?: CallOptions): Promise<Outcome>;
  getRecharge(key: Key, id: string, options?: CallOptions): Promise<Outcome>;
  payTest(key: Key, id: string, options?: CallOptions): Promise<Outcome>;
  expireTest(key: Key, id: string, options?: CallOptions): Promise<Outcome>;
  failTest(key: Key, id: string, options?: CallOptions): Promise<Outcome>;
  createBooking(key: Key, input: Json, options?: CallOptions): Promise<Outcome>;
  /** The data are `items` and `pagination`. */
  bookings(key: Key, filter?: BookingFilter, options?: CallOptions): Promise<Outcome>;
  getBooking(key: Key, id: string, options?: CallOptions): Promise<Outcome>;
  confirmBooking(key: Key, id: string, input?: Json, options?: CallOptions): Promise<Outcome>;
  cancelBooking(key: Key, id: string, options?: CallOptions): Promise<Outcome>;
  expireTestBooking(key: Key, id: string, options?: CallOptions): Promise<Outcome>;
}

/** A door at which what waited too long for others is sent again, as its answer asks. */
export const patientDoor = (door: Door): Door =>
  new Proxy(door, {
    get(of, name: keyof Door) {
      const member = of[name];
      if (typeof member === 'string') return member;
      const call = member as (...values: unknown[]) => Promise<Outcome>;
      return (...values: unknown[]) => sentAgain(() => call.apply(of, values));
    },
  });

/** What a test of behaviour works with. */
export type Stage = DoorStage<Door>;

/** The same behaviours through REST and GraphQL. */
export const describeDoors = (title: string, tests: (stage: Stage) => void, staging: Staging = {}): void =>
  describeThrough([restDoor, graphqlDoor], title, tests, staging);

/** The data of a success; fails with the refusal when it is none. */
export function dataOf(outcome: Outcome): Json {
  if (!outcome.ok) throw new Error(`refused: ${outcome.text}`);
  return outcome.data;
}

/** Checks the HTTP status that REST answers with, where the door says with it what became of the operation. */
export function expectStatus({ status }: Outcome, expected: number): void {
  if (status !== null) expect(status).toBe(expected);
}

export interface Refusal {
  /** What REST answers with. */
  status: number;
  code: string;
  message: string;
  /** Compared where given; members that are not named here are not looked at. */
  details?: Json;
}

/** Checks that an outcome is this refusal. */
export function expectRefusal(outcome: Outcome, { status, code, message, details }: Refusal): void {
  if (outcome.ok) throw new Error(`not refused: ${outcome.text}`);
  expect(outcome.error).toMatchObject({ code, message, ...(details ? { details } : {}) });
  expectStatus(outcome, status);
}

export const unauthorized: Refusal = { status: 401, code: 'UNAUTHORIZED', message: 'Unauthorized' };
export const forbidden: Refusal = { status: 403, code: 'FORBIDDEN', message: 'Forbidden' };
export const rechargeNotFound: Refusal = { status: 404, code: 'NOT_FOUND', message: 'Recharge not found' };
export const bookingNotFound: Refusal = { status: 404, code: 'NOT_FOUND', message: 'Booking not found' };
export const dailyLimitExceeded: Refusal = {
  status: 422,
  code: 'VALIDATION_ERROR',
  message: 'Daily limit exceeded',
};

/** A bad field as both doors name it. */
export const badField = (field: string, type: string, message = 'Invalid request parameters'): Refusal => ({
  status: 400,
  code: 'VALIDATION_ERROR',
  message,
  details: { field, type },
});

export const pixOf = (amount: string) => ({ amount, currency: 'BRL', payment_method: 'pix' });
export const boletoOf = (amount: string) => ({ amount, currency: 'BRL', payment_method: 'boleto' });

/** The payer pays a recharge, now or at `paidAt`. */
export function payLive(server: TestServer, key: string, id: string, paidAt?: string) {
  return server.rest('POST', `/simulator/recharges/${id}/pay`, {
    key,
    ...(paidAt === undefined ? {} : { body: { paid_at: paidAt } }),
  });
}

/** A new recharge that the team has paid, as it reads afterwards. */
export async function completedRecharge(
  { door, server }: Stage,
  { live }: TeamKeys,
  amount: string,
): Promise<Json> {
  const { id } = dataOf(await door.createRecharge(live, pixOf(amount)));
  expect((await payLive(server, live, id)).status).toBe(200);
  return dataOf(await door.getRecharge(live, id));
}
