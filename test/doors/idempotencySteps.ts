import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Json } from '../harness/client.ts';
import type { Door, Outcome, Stage } from './door.ts';
import { pixOf } from './door.ts';

export const newKey = () => `test-key-${randomUUID()}`;

export const keyReused = {
  status: 422,
  code: 'VALIDATION_ERROR',
  message: 'Idempotency-Key was used for a different request',
  details: { field: 'Idempotency-Key', type: 'reused' },
};

/** Rows that creations write: recharges, their events, and kept answers of a team. */
export async function rowsOf({ server }: Stage, teamId: string): Promise<Json> {
  const [row] = await server.query(
    `SELECT (SELECT count(*)::int FROM recharges WHERE team_id = $1) AS recharges,
            (SELECT count(*)::int FROM events WHERE team_id = $1 AND type = 'wallet.recharge.pending') AS events,
            (SELECT count(*)::int FROM idempotency_keys WHERE scope LIKE $1 || '/%') AS answers`,
    [teamId],
  );
  return row;
}

export function expectSameAnswer(first: Outcome, again: Outcome): void {
  expect(first.replayed).toBe(false);
  expect(again.replayed).toBe(true);
  expect(again.text).toBe(first.text);
  expect(again.status).toBe(first.status);
  expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
}

/** Requests recharges with an Idempotency-Key, through the door of a stage unless another is named. */
export const creatorOf =
  (stage: Stage) =>
  (key: string, idempotencyKey: string, input: Json = pixOf('100.00'), door: Door = stage.door) =>
    door.createRecharge(key, input, { idempotencyKey });
