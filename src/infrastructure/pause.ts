import { setTimeout as delay } from 'node:timers/promises';

/**
 * Resolves after so long, in milliseconds, or as soon as the signal is aborted: whoever tries again looks which of the two
 * it was.
 * @param keepsProcess whether the process may not end before.
 */
export function pause(milliseconds: number, signal: AbortSignal, keepsProcess = true): Promise<void> {
  return delay(milliseconds, undefined, { signal, ref: keepsProcess }).catch(() => undefined);
}
