import { Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { describeOneEngine } from '../../harness/engines.ts';
import { startTestServer } from '../../harness/server.ts';

/** A connection as Node.js writes to it when there are several pieces; `server` has those that clients have opened. */
interface Written {
  server?: unknown;
  _writev(...given: unknown[]): void;
}

const prototype = Socket.prototype as unknown as Written;
const { _writev: writev } = prototype;

describeOneEngine('An answer whose body comes with its end', (engine) => {
  it('is handed to its connection in one piece', async () => {
    const server = await startTestServer(engine);
    onTestFinished(() => server.close());
    const pieces: string[] = [];
    const inPieces = vi.spyOn(prototype, '_writev').mockImplementation(function (this: Written, ...given) {
      if (this.server) pieces.push(String(given[0]));
      return Reflect.apply(writev, this, given);
    });
    onTestFinished(() => inPieces.mockRestore());
    const { live: key } = server.keys;
    const balance = await server.rest('GET', '/api/v1/wallet/balance', { key });
    expect(balance.body.data.balance).toBe('0.00');
    const asked = await server.graphql('{ walletBalance { balance } }', null, key);
    expect(asked.body.data).toEqual({ walletBalance: { balance: '0.00' } });
    expect((await server.rest('GET', '/api/v1/nowhere', { key })).status).toBe(404);
    expect(pieces).toEqual([]);
  });
});
