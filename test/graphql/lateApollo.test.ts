import { ApolloServer } from '@apollo/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { availableEngines } from '../harness/engines.ts';
import { startTestServer } from '../harness/server.ts';

const anyEngine = availableEngines().at(-1)!;

/** A server whose part for new documents cannot be loaded, for as long as it lasts. */
async function lackingServer() {
  const lack = vi.spyOn(ApolloServer.prototype, 'start').mockRejectedValue(new Error('EMFILE'));
  onTestFinished(() => lack.mockRestore());
  const server = await startTestServer(anyEngine);
  onTestFinished(() => server.close());
  return {
    server,
    ask: (query: string) => server.graphql(query, null, server.keys.test),
    end: () => lack.mockRestore(),
  };
}

it('new documents are answered as soon as what reads them can be loaded, though once it could not', async () => {
  const { ask, end } = await lackingServer();
  const query = '{ walletBalance { balance } }';
  expect((await ask(query)).status).toBe(500);
  end();
  expect(await ask(query)).toMatchObject({
    status: 200,
    body: { data: { walletBalance: { balance: '5000.00' } } },
  });
});

it('a server that never could load what reads new documents is stopped and started again like all others', async () => {
  const { server, ask } = await lackingServer();
  expect((await ask('{ latestEventId }')).status).toBe(500);
  await expect(server.restart()).resolves.toBeUndefined();
});
