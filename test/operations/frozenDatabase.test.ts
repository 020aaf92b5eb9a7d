import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import { startGate } from '../harness/gate.ts';
import { useServerProcesses } from '../harness/serverProcess.ts';
import { startServiceLink } from '../harness/serviceLink.ts';

const engine = realEngine();

describe.runIf(engine)('A database that does not answer any more', () => {
  const startProcess = useServerProcesses();

  it('does not keep a process from its end', async () => {
    const place = await engine!.allocate();
    const gate = await startGate(new URL(place.settings.DATABASE_URL as string));
    try {
      const key = 'sk_live_0123456789abcdef';
      const settings = { ...place.settings, DATABASE_URL: gate.url, PORT: '0', BOOTSTRAP_LIVE_KEY: key };
      const server = startProcess(settings);
      const url = await server.ready();
      gate.shut();
      const unanswered = fetch(`${url}/api/v1/wallet/balance`, {
        headers: { authorization: `Bearer ${key}` },
      }).catch((error: Error) => error);
      await eventually(() => gate.hasSwallowed());
      expect(await server.stop()).toEqual({ code: 1, signal: null });
      expect(server.log().at(-1)).toMatchObject({
        level: 50,
        msg: expect.stringContaining('not stopped in time'),
      });
      expect(await unanswered).toBeInstanceOf(Error);
    } finally {
      gate.close();
      await place.release();
    }
  });

  it('keeps a process from nothing by sessions that rest', async () => {
    const place = await engine!.allocate();
    const sessions: Socket[] = [];
    const link = await startServiceLink(new URL(place.settings.DATABASE_URL as string), (near, far) => {
      near.pipe(far).pipe(near);
      sessions.push(near);
    });
    try {
      const server = startProcess({
        ...place.settings,
        DATABASE_URL: link.url,
        PORT: '0',
        ROLES: 'api',
      });
      await server.ready();
      // Whoever does not read sees no end, and so returns none.
      for (const near of sessions) near.unpipe().pause();
      expect(await server.stop()).toEqual({ code: 0, signal: null });
      expect(server.log().at(-1)).toMatchObject({ msg: 'stopped' });
    } finally {
      link.close();
      await place.release();
    }
  });
});
