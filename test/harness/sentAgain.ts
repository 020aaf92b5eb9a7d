import type { Json } from './client.ts';

/** What came back through a door: with a refusal of its own, or in the body as the door spells it. */
interface Answered {
  headers: Headers;
  error?: Json;
  body?: Json;
}

const refusalOf = ({ error, body }: Answered): Json | undefined =>
  error ?? body?.error ?? body?.errors?.[0]?.extensions;

/**
 * Sends again as long as another request held what this one needed for longer than it waits, as that answer asks: where many
 * are at once on one wallet, a slow machine may take longer over those before it.
 */
export async function sentAgain<Answer extends Answered>(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (refusalOf(answer)?.details?.type !== 'in_progress') return answer;
  }
}
