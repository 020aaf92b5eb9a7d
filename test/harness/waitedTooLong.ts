import type { Outcome } from '../doors/door.ts';
import type { GraphqlAnswer, Json, RestAnswer } from './client.ts';

/** Whether a refusal says that another request held what this one needed for longer than it waits. */
export const waitedTooLong = (refusal: Json | undefined): boolean => refusal?.details?.type === 'in_progress';

const refusalOf = (answer: RestAnswer | GraphqlAnswer | Outcome): Json | undefined => {
  if ('ok' in answer) return answer.ok ? undefined : answer.error;
  return answer.body?.error ?? answer.body?.errors?.[0]?.extensions;
};

/**
 * Sends again as long as it waited too long, as that answer asks: where many are at once on one wallet, a slow machine may
 * take longer over those before it.
 */
export async function sentAgain<Answer extends RestAnswer | GraphqlAnswer | Outcome>(
  send: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (!waitedTooLong(refusalOf(answer))) return answer;
  }
}
