import { randomUUID } from 'node:crypto';
import { dataOf, pixOf, type Stage } from '../doors/door.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { signatureOf } from './bank.ts';

export const path = '/callbacks/payments/bank';

/** One call of the bank, signed. */
export async function post(stage: Stage, body: string, headers: Record<string, string> = {}, below = '') {
  const signed = { 'X-Bank-Signature': signatureOf(body), 'Content-Type': 'text/plain', ...headers };
  const response = await fetch(`${stage.server.url}${path}${below}`, {
    method: 'POST',
    body,
    headers: signed,
  });
  return { status: response.status, body: (await response.json()) as Json };
}

export const tell = (stage: Stage, ...notifications: Json[]) => post(stage, JSON.stringify(notifications));

/** Tells as banks do: again where the answer is that there is too much to do, as others' turns at a wallet took too long. */
export const tellUntilTaken = (stage: Stage, ...notifications: Json[]) =>
  eventually(async () => {
    const answer = await tell(stage, ...notifications);
    return answer.body.error?.details.type !== 'overloaded' && answer;
  });

export const paid = (rechargeId: string, more: Json = {}) => ({
  rechargeId,
  outcome: 'paid',
  providerReference: randomUUID(),
  ...more,
});

/** Whether the charge is known as one without a recharge. */
export const isNoted = async ({ server }: Stage, id: string) =>
  (await server.query('SELECT FROM unwritten_charges WHERE recharge_id = $1', [id])).length > 0;

/** What an operator asks for, and the answer's body. */
export async function operate(
  { server }: Stage,
  document: string,
  variables: object | null = null,
  headers: object = {},
): Promise<Json> {
  return (await server.graphql(document, variables, server.keys.operator, headers)).body;
}

/** What operators read of a payment. */
export const paymentFields = `id provider providerReference reason rechargeId rechargeStatus teamId mode amount rechargeAmount paidAt
  receivedAt settlement settledAt settledBy note`;

/** The payments of a reference that wait for an operator. */
export async function waiting(stage: Stage, reference: string): Promise<Json[]> {
  const { data } = await operate(stage, `{ unsettledPayments(limit: 100) { items { ${paymentFields} } } }`);
  return data.unsettledPayments.items.filter((one: Json) => one.providerReference === reference);
}

/** The recharges of new teams, as their keys see them. */
export function rechargesOn(stage: Stage) {
  const requested = async (amount = '320.00') => {
    const team = await stage.server.createTeam();
    const { id } = dataOf(await stage.door.createRecharge(team.live, pixOf(amount)));
    return { ...team, id };
  };
  const read = async (key: string, id: string) => dataOf(await stage.door.getRecharge(key, id));
  const balanceOf = async (key: string) => dataOf(await stage.door.balance(key)).balance;
  return { requested, read, balanceOf };
}
