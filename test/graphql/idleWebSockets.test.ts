import { expect, it, vi } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import { startTestServer } from '../harness/server.ts';
import { walletEvents } from '../harness/subscribers.ts';

describeOneEngine('WebSockets on which nothing is asked', (engine) => {
  it('have their keys not read again and again, as those of subscribers are until they leave', async () => {
    const server = await startTestServer(engine, { settings: { ROLES: 'api' } });
    const looks = vi.spyOn(server.running.gateway.access, 'callerOfHash');
    try {
      const [idle, subscribed] = [await server.createTeam(), await server.createTeam()];
      const resting = await connectRawSocket(server.url, idle.live);
      const areSubscribed = (count: number) =>
        eventually(async () =>
          (await server.rest('GET', '/metrics')).text.includes(`\nembarque_subscribers ${count}\n`),
        );
      for (const { live } of [subscribed, await server.createTeam()]) {
        const { socket, send } = await connectRawSocket(server.url, live);
        send({ type: 'subscribe', id: 'events', payload: { query: walletEvents } });
        await areSubscribed(1);
        looks.mockClear();
        await eventually(() => looks.mock.calls.length >= 10);
        expect(new Set(looks.mock.calls.map(([hash]) => hash)).size).toBe(1);
        socket.terminate();
        await areSubscribed(0);
      }
      resting.socket.terminate();
    } finally {
      looks.mockRestore();
      await server.close();
    }
  });
});
