import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codesOf, eventually } from '../harness/client.ts';
import { describeEngines, describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

const recharge = JSON.stringify({ amount: '100.00', currency: 'BRL', payment_method: 'pix' });
const mutation = JSON.stringify({
  query: 'mutation { createRecharge(amount: "100.00", currency: BRL, paymentMethod: pix) { id } }',
});
const subscription = JSON.stringify({ query: 'subscription { events { id } }' });
const stream = { Accept: 'text/event-stream' };

describeEngines(
  'A key that is revoked while its request’s body is on the way does nothing any more:',
  (engine) => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(engine);
    });
    afterAll(() => server?.close());

    /** Sends a head. @returns the request, once the server has taken the head and asks for the body. */
    async function begin(
      path: string,
      key: string,
      headers: Record<string, string | number>,
    ): Promise<ClientRequest> {
      const begun = request(new URL(path, server.url), {
        method: 'POST',
        agent: false,
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'application/json',
          Expect: '100-continue',
          ...headers,
        },
      });
      begun.flushHeaders();
      await once(begun, 'continue');
      return begun;
    }

    it.each([
      ['in REST', '/api/v1/wallet/recharge', recharge, {}],
      ['in REST, in chunks', '/api/v1/wallet/recharge', recharge, { 'Transfer-Encoding': 'chunked' }],
      ['at the simulated bank', '/simulator/recharges/:id/pay', '{}', {}],
      ['in GraphQL', '/graphql', mutation, {}],
      ['as an event stream', '/graphql', mutation, stream],
      ['as a subscription', '/graphql', subscription, stream],
    ] as [string, string, string, Record<string, string>][])('%s', async (_door, path, body, headers) => {
      const { teamId, live } = await server.createTeam();
      const { id, secret } = await server.createKey({ kind: 'live', teamId });
      // Its document is known: it is neither read nor checked again.
      const pending = await server.graphql(JSON.parse(mutation).query, null, live);
      const target = path.replace(':id', pending.body.data?.createRecharge.id);
      const balance = () => server.rest('GET', '/api/v1/wallet/balance', { key: secret });
      expect((await balance()).status).toBe(200);
      const length: Record<string, number> =
        'Transfer-Encoding' in headers ? {} : { 'Content-Length': body.length };
      const begun = await begin(target, secret, { ...headers, ...length });
      try {
        await server.graphql(`mutation { revokeApiKey(id: "${id}") { id } }`, null, server.keys.operator);
        await eventually(async () => (await balance()).status === 401);
        begun.end(body);
        const [response] = (await once(begun, 'response')) as [IncomingMessage];
        expect(response.statusCode).toBe(401);
        expect(response.headers['www-authenticate']).toBe('Bearer');
        expect(await text(response)).toContain('"UNAUTHORIZED"');
      } finally {
        begun.destroy();
      }
      const recharges = await server.query('SELECT status FROM recharges WHERE team_id = $1', [teamId]);
      expect(recharges).toEqual([{ status: 'pending' }]);
    });
  },
);

describeSeveralSessions(
  'A key that is revoked while one of its mutations waits begins none of those after it:',
  (engine) => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(engine, { settings: { ROLES: 'api' } });
    });
    afterAll(() => server?.close());

    const create = 'createRecharge(amount: "100.00", currency: BRL, paymentMethod: pix) { id }';

    it('in a document', async () => {
      const { teamId, live } = await server.createTeam();
      const { id, secret } = await server.createKey({ kind: 'live', teamId });
      expect((await server.graphql(`mutation { ${create} }`, null, live)).body.errors).toBeUndefined();
      const session = await server.openSession();
      await session.query('BEGIN');
      // The day of the wallet and not the wallet: the revocation has an event in it.
      await session.query(
        `SELECT FROM recharge_days WHERE wallet_id IN (SELECT id FROM wallets WHERE team_id = $1) FOR UPDATE`,
        [teamId],
      );
      const answering = server.graphql(`mutation { first: ${create} second: ${create} }`, null, secret);
      await eventually(async () => (await lockWaits(server)) > 0);
      await server.graphql(`mutation { revokeApiKey(id: "${id}") { id } }`, null, server.keys.operator);
      const refused = () => server.rest('GET', '/api/v1/wallet/balance', { key: secret });
      await eventually(async () => (await refused()).status === 401);
      await session.query('ROLLBACK');
      const { body } = await answering;
      expect(body.data).toEqual({ first: { id: expect.any(String) }, second: null });
      expect(codesOf(body.errors)).toEqual(['UNAUTHORIZED']);
      expect(await server.query('SELECT FROM recharges WHERE team_id = $1', [teamId])).toHaveLength(2);
    });
  },
);
