import type { Clock } from '../clock.ts';

/** The supplier was cut off: it took longer than it may. */
export class SupplierTimeout extends Error {}

/**
 * Asks a supplier and waits no longer than the limit, which holds for suppliers that pay no heed to the signal as well.
 * @throws SupplierTimeout when it was cut off; else what the supplier throws.
 */
export async function askWithin<Answer>(
  { supplier, timeoutMs, clock }: { supplier: string; timeoutMs: number; clock: Clock },
  ask: (options: { signal: AbortSignal }) => Promise<Answer>,
): Promise<Answer> {
  const controller = new AbortController();
  const { signal } = controller;
  const cutOff = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  const cancel = clock.schedule(timeoutMs, () =>
    controller.abort(new SupplierTimeout(`${supplier} was cut off`)),
  );
  try {
    // An adapter that throws at once is no different from one whose promise fails.
    return await Promise.race([Promise.resolve().then(() => ask({ signal })), cutOff]);
  } finally {
    cancel();
  }
}
