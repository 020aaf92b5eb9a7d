import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestRecharge, storedEvents } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { allEvents, subjectEvents } from '../harness/subscribers.ts';
import { Bank, patientWithBank } from '../payments/bank.ts';

const broken = { code: 1013, reason: 'Internal error' };

describeOneEngine('A fault of ours over a WebSocket', (engine) => {
  const bank = new Bank();
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, {
      settings: { ...patientWithBank, ROLES: 'api' },
      paymentProvider: bank,
    });
  });
  afterAll(() => server?.close());

  async function without<Result>(table: string, act: () => Promise<Result>): Promise<Result> {
    await server.query(`ALTER TABLE ${table} RENAME TO ${table}_away`);
    try {
      return await act();
    } finally {
      await server.query(`ALTER TABLE ${table}_away RENAME TO ${table}`);
    }
  }

  it.each([
    ['before it has begun', subjectEvents('rechargeUpdated')],
    ['while it reads what was missed', allEvents],
  ])('%s ends a subscription with its connection, without a word', async (_when, query) => {
    const { teamId, test: key } = await server.createTeam();
    const id = await requestRecharge(server, key);
    const [start] = await storedEvents(server, teamId, 'test');
    const raw = await connectRawSocket(server.url, key);
    await without('events', async () => {
      const variables = { id, after: start!.id };
      raw.send({ type: 'subscribe', id: 'events', payload: { query, variables } });
      expect(await raw.closed()).toEqual(broken);
    });
    expect(raw.messages.filter((message) => message.id === 'events')).toEqual([]);
  });

  it('that hides who asks ends a subscription so, and answers a query', async () => {
    const { test: key } = await server.createTeam();
    const raw = await connectRawSocket(server.url, key);
    await without('api_keys', async () => {
      // The key is known for a moment.
      let attempt = 0;
      const refused = await eventually(async () => {
        attempt += 1;
        const id = `query ${attempt}`;
        raw.send({ type: 'subscribe', id, payload: { query: '{ walletBalance { balance } }' } });
        const answer = await raw.receives((message) => message.id === id);
        return answer.type === 'error' && answer;
      });
      expect(refused.payload).toMatchObject([{ message: 'Internal error' }]);
      raw.send({ type: 'subscribe', id: 'events', payload: { query: allEvents } });
      expect(await raw.closed()).toEqual(broken);
    });
    expect(raw.messages.filter((message) => message.id === 'events')).toEqual([]);
  });

  it.each([
    ['when what else was asked on it is answered', false],
    ['as a fault, also where the server stops before what else was asked on it is answered', true],
  ])('ends the connection %s', async (_when, stops) => {
    const { teamId, live: key } = await server.createTeam();
    await requestRecharge(server, key);
    const [start] = await storedEvents(server, teamId, 'live');
    const { asked, tell } = bank.holdCharges();
    const raw = await connectRawSocket(server.url, key);
    let restarted: Promise<void> | undefined;
    try {
      const query = 'mutation { createRecharge(amount: "100.00", currency: BRL, paymentMethod: pix) { id } }';
      raw.send({ type: 'subscribe', id: 'recharge', payload: { query } });
      await eventually(() => asked() === 1);
      const linesBefore = server.logLines.length;
      await without('events', async () => {
        const payload = { query: allEvents, variables: { after: start!.id } };
        raw.send({ type: 'subscribe', id: 'events', payload });
        await eventually(() =>
          server.logLines.slice(linesBefore).some((line) => line.includes('websocket message failed')),
        );
      });
      await raw.caughtUp();
      if (stops) {
        const idle = await connectRawSocket(server.url, key);
        restarted = server.restart();
        expect((await idle.closed()).code).toBe(1001);
      }
    } finally {
      tell();
      bank.reset();
      await restarted;
    }
    expect(await raw.closed()).toEqual(broken);
    const types = (id: string) => raw.messages.filter((message) => message.id === id).map(({ type }) => type);
    expect(types('recharge')).toEqual(['next', 'complete']);
    expect(types('events')).toEqual([]);
  });
});
