import type { Outcome, Stage } from './door.ts';
import { documents, outcomeOf } from './graphqlDoor.ts';

const document = documents.ofRecharge('cancelRecharge');

/** The user withdraws a recharge: GraphQL only, whatever door the test goes through. */
export async function cancel(
  { server }: Pick<Stage, 'server'>,
  key: string | null,
  id: string,
): Promise<Outcome> {
  return outcomeOf(await server.graphql(document, { id }, key));
}

/** Types of the events about a recharge or its credit, in order. */
export async function eventsOf({ server }: Stage, id: string): Promise<string[]> {
  const rows = await server.query<{ type: string }>(
    `SELECT type FROM events WHERE subject_id = $1
        OR subject_id = (SELECT transaction_id FROM recharges WHERE id = $1) ORDER BY sequence`,
    [id],
  );
  return rows.map(({ type }) => type);
}
