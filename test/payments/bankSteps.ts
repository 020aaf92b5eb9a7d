import { randomUUID } from 'node:crypto';
import type { Stage } from '../doors/door.ts';
import type { Json } from '../harness/client.ts';
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

export const paid = (rechargeId: string, more: Json = {}) => ({
  rechargeId,
  outcome: 'paid',
  providerReference: randomUUID(),
  ...more,
});

/** What an operator asks for, and the answer's body. */
export async function operate(
  { server }: Stage,
  document: string,
  variables: object | null = null,
  headers: object = {},
): Promise<Json> {
  return (await server.graphql(document, variables, server.keys.operator, headers)).body;
}
