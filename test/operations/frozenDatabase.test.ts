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

  it.each(['find_key', 'read_balance'])(
    'on one connection, as it is asked for %s, holds up only those that were waiting for that',
    async (statement) => {
      const place = await engine!.allocate();
      const gate = await startGate(new URL(place.settings.DATABASE_URL as string));
      try {
        const keys = ['sk_live_0123456789abcdef', 'sk_test_0123456789abcdef'];
        const [BOOTSTRAP_LIVE_KEY, BOOTSTRAP_TEST_KEY] = keys as [string, string];
        const bootstrap = { BOOTSTRAP_LIVE_KEY, BOOTSTRAP_TEST_KEY };
        const limits = { RATE_LIMIT_DEFAULT: '100000' };
        const environment = { ...place.settings, ...bootstrap, ...limits, DATABASE_URL: gate.url, PORT: '0' };
        const server = startProcess(environment);
        const url = await server.ready();
        const ask = async (key: string) =>
          (await fetch(`${url}/api/v1/wallet/balance`, { headers: { authorization: `Bearer ${key}` } })).ok;
        for (const key of keys) expect(await ask(key)).toBe(true);
        gate.silenceAt(statement);
        const answered = keys.map(() => 0);
        await eventually(() => {
          if (!gate.hasSwallowed()) for (const key of keys) void ask(key).catch(() => undefined);
          return gate.hasSwallowed();
        });
        await eventually(() => {
          for (const [index, key] of keys.entries())
            ask(key).then(
              (isAnswered) => {
                answered[index] = (answered[index] ?? 0) + Number(isAnswered);
              },
              () => undefined,
            );
          return answered.every((count) => count > 3);
        });
      } finally {
        gate.close();
        await place.release();
      }
    },
  );

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
