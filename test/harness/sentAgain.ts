import { lockTimeoutMs } from '../../src/infrastructure/database/session.ts';
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
 * are at once on one wallet, a slow machine may take longer over those before it. One that was refused sooner has not
 * waited as it should, and is not sent again.
 */
export async function sentAgain<Answer extends Answered>(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const sentMs = performance.now();
    const answer = await send();
    const waitedTooLong = refusalOf(answer)?.details?.type === 'in_progress';
    if (!waitedTooLong || performance.now() - sentMs < lockTimeoutMs) return answer;
  }
}
