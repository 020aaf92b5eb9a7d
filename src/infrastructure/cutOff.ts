import type { Clock } from './clock.ts';

/** Somebody outside was cut off: they took longer than they may. */
export class TimedOut extends Error {}

/**
 * Asks somebody outside and waits no longer than the limit, which holds for those that pay no heed to the signal as well.
 * @throws TimedOut when they were cut off; else what they throw.
 */
export async function askWithin<Answer>(
  { asked, timeoutMs, clock }: { asked: string; timeoutMs: number; clock: Clock },
  ask: (options: { signal: AbortSignal }) => Promise<Answer>,
): Promise<Answer> {
  const controller = new AbortController();
  const { signal } = controller;
  const cutOff = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  const cancel = clock.schedule(timeoutMs, () => controller.abort(new TimedOut(`${asked} was cut off`)));
  try {
    // An adapter that throws at once is no different from one whose promise fails.
    return await Promise.race([Promise.resolve().then(() => ask({ signal })), cutOff]);
  } finally {
    cancel();
  }
}

/** Resolves with what comes of the work, or with undefined as soon as the signal aborts, whatever comes then. */
export async function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  let leave = (): void => undefined;
  const left = new Promise<undefined>((resolve) => {
    leave = () => resolve(undefined);
  });
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  try {
    return await Promise.race([work, left]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
