import { expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { minuteMs, TestClock } from '../harness/testClock.ts';
import {
  deactivateWebhook,
  describeMailServer,
  startSilentMailServer,
  waitingAlerts,
} from './mailServers.ts';

/** Ten minutes, which a mail may take and nothing else waits for, are over when the test says so. */
class MailClock extends TestClock {
  readonly #waiting = new Set<() => void>();

  override schedule(delayMs: number, action: () => void): () => void {
    if (delayMs !== 10 * minuteMs) return super.schedule(delayMs, action);
    this.#waiting.add(action);
    return () => this.#waiting.delete(action);
  }

  tenMinutesPass(): void {
    for (const action of this.#waiting) action();
  }
}

const clock = new MailClock();

describeMailServer(
  'Once the mail server has hung for ten minutes',
  startSilentMailServer,
  (stage) => {
    it('the mail is given up, and that of the next alert sent', async () => {
      const { mail, world } = stage;
      await deactivateWebhook(world);
      await eventually(() => mail.taken() === 1);
      await deactivateWebhook(world);
      await eventually(async () => (await waitingAlerts(world)).length === 2);
      clock.tenMinutesPass();
      await eventually(() => mail.taken() === 2);
      expect(world.server.logLines.join('')).toContain('the mail server was cut off');
    });
  },
  clock,
);
