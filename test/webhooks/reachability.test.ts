import { expect, it } from 'vitest';
import { checkReachable } from '../../src/domain/webhooks/webhookUrl.ts';

it.each([
  ['refused where receivers are asked and this one does not answer', [true, false], 'timeout', true],
  [
    'refused where nobody is asked, and its name stands for a private address',
    [false, false],
    'blocked_address',
    true,
  ],
  ['accepted where nobody is asked, though it would not answer', [false, false], 'timeout', false],
  [
    'accepted where nobody is asked and private addresses may be called',
    [false, true],
    'blocked_address',
    false,
  ],
] as const)(
  'a URL is %s, and the log has the reason of a refusal',
  async (_what, [isAsked, mayBePrivate], reason, isRefused) => {
    const settings = { WEBHOOK_REACHABILITY_CHECK: isAsked, WEBHOOK_ALLOW_PRIVATE_HOSTS: mayBePrivate };
    const asked: string[] = [];
    const webhookSender = {
      async reachable(url: string) {
        asked.push(url);
        return { reachable: false, reason };
      },
      isBlocked: async () => reason === 'blocked_address',
    };
    const lines: object[] = [];
    const log = { info: (members: object, message: string) => lines.push({ ...members, message }) };
    const surroundings = { settings, webhookSender, log } as unknown as Parameters<typeof checkReachable>[1];
    const checked = checkReachable('https://receiver.test/', surroundings);
    if (isRefused) await expect(checked).rejects.toThrow('URL not reachable');
    else await expect(checked).resolves.toBeUndefined();
    const line = { host: 'receiver.test', reason, message: 'webhook URL not reachable' };
    expect(lines).toEqual(isRefused ? [line] : []);
    expect(asked).toEqual(isAsked ? ['https://receiver.test/'] : []);
  },
);
