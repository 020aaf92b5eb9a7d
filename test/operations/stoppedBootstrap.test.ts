import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { eventually, restRequest } from '../harness/client.ts';
import type { Place } from '../harness/engines.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import type { ServerProcess } from '../harness/serverProcess.ts';
import { useServerProcesses } from '../harness/serverProcess.ts';
import { startServiceLink } from '../harness/serviceLink.ts';

describeSeveralSessions('A start that is asked to stop while its keys are committed', (engine) => {
  const startProcess = useServerProcesses();

  /** Starts on an empty database, and asks to stop once that has been told to commit the keys, of which nobody hears yet. */
  async function stopped(work: (server: ServerProcess, place: Place, answers: Socket) => Promise<void>) {
    const place = await engine.allocate();
    let answers: Socket | null = null;
    const link = await startServiceLink(new URL(place.settings.DATABASE_URL as string), (near, far) => {
      let hasKeys = false;
      near.on('data', (bytes: Buffer) => {
        hasKeys ||= bytes.includes('INSERT INTO "api_keys"');
        if (hasKeys && bytes.includes('COMMIT')) answers ??= far.pause();
        far.write(bytes);
      });
      far.pipe(near);
    });
    try {
      const server = startProcess({ ...place.settings, DATABASE_URL: link.url, PORT: '0' });
      const held = await eventually(() => answers, 60_000);
      server.process.kill('SIGTERM');
      await eventually(() => server.log().some(({ msg }) => msg === 'stopping'));
      await work(server, place, held as Socket);
    } finally {
      link.close();
      await place.release();
    }
  }

  it('shows them, and then stops', async () => {
    await stopped(async (server, place, answers) => {
      answers.resume();
      expect(await server.exited).toEqual({ code: 0, signal: null });
      expect(server.log().at(-1)).toMatchObject({ msg: 'stopped' });
      expect(server.output.stderr).toBe('');
      const keys = /live +(sk_live_\S+)\n +test +(sk_test_\S+)\n +operator +sk_admin_\S+\n/.exec(
        server.output.stdout,
      );
      expect(keys).not.toBeNull();
      const next = startProcess({ ...place.settings, PORT: '0' });
      const url = await next.ready();
      for (const key of keys?.slice(1) ?? [])
        expect((await restRequest(url, 'GET', '/api/v1/wallet/balance', { key })).status).toBe(200);
      await next.stop();
    });
  });

  it('waits for them no longer than any stop may take', async () => {
    await stopped(async (server) => {
      expect(await server.exited).toEqual({ code: 1, signal: null });
      expect(server.log().at(-1)?.msg).toContain('not stopped in time');
    });
  });
});
