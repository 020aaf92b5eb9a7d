import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOneEngine } from '../harness/engines.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

const name = 'Idempotency-Key';
const otherwiseSpelt = 'idempotency-key';

describeOneEngine('An operation over a WebSocket, which has no headers,', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  it('has its Idempotency-Key in its extensions, under a name in any case, as a header has', async () => {
    const { teamId, test } = await server.createTeam();
    const raw = await connectRawSocket(server.url, test);
    let operations = 0;
    const create = async (amount: string, extensions: object) => {
      operations += 1;
      const id = String(operations);
      const query = `mutation { createRecharge(amount: "${amount}", currency: BRL, paymentMethod: pix) { id } }`;
      raw.send({ type: 'subscribe', id, payload: { query, extensions } });
      return (await raw.receives((message) => message.type === 'next' && message.id === id)).payload;
    };
    const first = await server.rest('POST', '/api/v1/wallet/recharge', {
      key: test,
      body: { amount: '100.00', currency: 'BRL', payment_method: 'pix' },
      headers: { [name]: 'one' },
    });
    const { id } = first.body.data;
    for (const spelling of [name, otherwiseSpelt])
      expect((await create('100.00', { [spelling]: 'one' })).data).toEqual({ createRecharge: { id } });
    for (const [amount, extensions, type] of [
      ['101.00', { [name]: 'one' }, 'reused'],
      ['100.00', { [name]: '' }, 'invalid'],
      ['100.00', { [otherwiseSpelt]: 1 }, 'invalid'],
      ['100.00', { [name]: 'one', [otherwiseSpelt]: 'one' }, 'invalid'],
    ] as const) {
      const { errors } = await create(amount, extensions);
      expect(errors[0].extensions.details).toMatchObject({ field: name, type });
    }
    expect(await server.query('SELECT id FROM recharges WHERE team_id = $1', [teamId])).toHaveLength(1);
    expect((await create('100.00', { [name]: null })).data.createRecharge.id).not.toBe(id);
    raw.socket.terminate();
  });
});
