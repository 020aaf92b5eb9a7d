import { describe, expect, it } from 'vitest';
import { testCertificates } from '../../harness/certificates.ts';
import { eventually } from '../../harness/client.ts';
import { answer } from '../../harness/receiver.ts';
import { receiver, sender, timeoutMs } from './senders.ts';

describe('reachable', () => {
  it('takes any answer to a HEAD for yes', async () => {
    const target = await receiver(answer(200));
    for (const status of [200, 302, 404, 500]) {
      target.behave(answer(status));
      expect(await sender().reachable(target.url())).toEqual({ reachable: true, reason: 'ok' });
    }
    expect(target.requests.map(({ method, body }) => `${method} ${body.length}`)).toEqual(
      Array(4).fill('HEAD 0'),
    );
    await eventually(() => target.openSockets() === 0);
  });

  it('says why not', async () => {
    const silent = await receiver(() => {});
    const expired = await receiver(answer(200), { certificate: (await testCertificates()).expired });
    expect(await sender({ timeoutMs }).reachable(silent.url())).toEqual({
      reachable: false,
      reason: 'timeout',
    });
    expect(await sender().reachable(expired.url())).toEqual({ reachable: false, reason: 'tls_certificate' });
    expect(await sender().reachable('http://example.com/')).toEqual({
      reachable: false,
      reason: 'invalid_url',
    });
  });

  it('waits five seconds at most, however long attempts may take', async () => {
    const silent = await receiver(() => {});
    const beganMs = performance.now();
    const asked = await sender({ timeoutMs: 3_600_000 }).reachable(silent.url());
    expect(asked).toEqual({ reachable: false, reason: 'timeout' });
    expect(performance.now() - beganMs).toBeGreaterThan(4_900);
  });
});
