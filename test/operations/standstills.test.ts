import { describe, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import { useServerProcesses } from '../harness/serverProcess.ts';
import { startServiceLink } from '../harness/serviceLink.ts';

const engine = realEngine();

/** How long an answer is on a slow network: several turns of the event loop. */
const slowMs = 200;

/**
 * Stands between a server and its database, and keeps what that answers to a statement; what it says after that takes a
 * while.
 */
async function startKeepingLink(target: URL) {
  let kept: string | null = null;
  let hand: (() => void) | null = null;
  let isSlow = false;
  const link = await startServiceLink(target, (near, far) => {
    let isKept = false;
    near.on('data', (bytes: Buffer) => {
      if (kept !== null && bytes.includes(kept)) {
        kept = null;
        isKept = true;
      }
      far.write(bytes);
    });
    far.on('data', (bytes: Buffer) => {
      if (isSlow) return void setTimeout(() => near.write(bytes), slowMs);
      if (!isKept) return void near.write(bytes);
      isSlow = true;
      hand = () => void near.write(bytes);
    });
  });
  return {
    ...link,
    /** Keeps the answer to the next statement that has this in it. */
    keepAnswerTo(text: string) {
      kept = text;
    },
    keepsAnswer: () => hand !== null,
    handAnswer: () => hand?.(),
  };
}

/** More than the two seconds that a part of the service has to answer. */
const standstillMs = 3_000;

describe.runIf(engine)('A process that stood still', () => {
  const startProcess = useServerProcesses();

  it('is ready, though what it asked the database meanwhile takes more than one answer', async () => {
    const place = await engine!.allocate();
    const link = await startKeepingLink(new URL(place.settings.DATABASE_URL as string));
    try {
      const { process: child, ready } = startProcess({
        ...place.settings,
        DATABASE_URL: link.url,
        PORT: '0',
      });
      const url = await ready();
      // It listens before Redis has answered.
      await eventually(async () => (await fetch(`${url}/health/ready`)).ok);
      // The question that the names of the migrations are asked after.
      link.keepAnswerTo('to_regclass');
      const asked = fetch(`${url}/health/ready`);
      await eventually(() => link.keepsAnswer());
      child.kill('SIGSTOP');
      const stoppedMs = performance.now();
      await eventually(() => performance.now() - stoppedMs > standstillMs);
      // Not before: a process takes a moment to stand still.
      link.handAnswer();
      child.kill('SIGCONT');
      expect(await (await asked).json()).toEqual({
        status: 'ready',
        checks: { database: 'ok', migrations: 'ok', redis: 'ok' },
      });
    } finally {
      link.close();
      await place.release();
    }
  });
});
