import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOneEngine } from '../harness/engines.ts';
import { openRawSocket } from '../harness/rawSocket.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

describeOneEngine('Operations over graphql-ws', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  it('lets pages call that may call over HTTP, and what is no page', async () => {
    const team = await server.createTeam({ corsDomains: ['https://app.example.com'] });
    const connect = async (origin: string | undefined, key = team.test) => {
      const raw = await openRawSocket(server.url, origin ? { headers: { origin } } : {});
      raw.send({ type: 'connection_init', payload: { Authorization: `Bearer ${key}` } });
      const outcome = await Promise.race([
        raw.receives(({ type }) => type === 'connection_ack').then(() => 'open'),
        raw.closed().then(({ code }) => code),
      ]);
      raw.socket.terminate();
      return outcome;
    };
    expect(await connect(undefined)).toBe('open');
    expect(await connect('https://app.example.com')).toBe('open');
    // GraphiQL's, which is served here.
    expect(await connect(new URL(server.url).origin)).toBe('open');
    for (const origin of ['https://other.example.com', 'http://app.example.com', 'null', 'https://'])
      expect(await connect(origin)).toBe(4403);
    expect(await connect('https://app.example.com', server.keys.test)).toBe(4403);
  });

  it('logs what calls itself a page so that it does nothing to who reads it, without keys and at no great length', async () => {
    const secret = server.keys.live.slice(-12);
    for (const origin of [
      'https://a\x9b31m\x9d0;b\x85.example',
      `https://${server.keys.live}`,
      `https://${'x'.repeat(10_000)}`,
    ]) {
      const raw = await openRawSocket(server.url, { headers: { origin } });
      raw.send({ type: 'connection_init', payload: { Authorization: `Bearer ${server.keys.test}` } });
      expect(await raw.closed()).toMatchObject({ code: 4403 });
    }
    const lines = server.logLines.filter((line) => line.includes('websocket of a page'));
    const told = lines.map((line) => JSON.parse(line).origin).slice(-3);
    const xs = 'x'.repeat(292);
    expect(told).toEqual([
      'https://a\x9b31m\x9d0;b\x85.example',
      'https://sk_live_[redacted]',
      `https://${xs}`,
    ]);
    expect(lines.join('')).not.toMatch(/[\x7f-\x9f]/);
    expect(lines.join('')).not.toContain(secret);
  });

  it('looks at the page for each operation, as at the key', async () => {
    const { teamId, test: key } = await server.createTeam({ corsDomains: ['https://app.example.com'] });
    const raw = await openRawSocket(server.url, { headers: { origin: 'https://app.example.com' } });
    raw.send({ type: 'connection_init', payload: { Authorization: `Bearer ${key}` } });
    await raw.receives(({ type }) => type === 'connection_ack');
    const change = 'mutation ($id: String!) { updateTeam(id: $id, input: { corsDomains: [] }) { id } }';
    await server.graphql(change, { id: teamId }, server.keys.operator);
    raw.send({ type: 'subscribe', id: '1', payload: { query: '{ walletBalance { balance } }' } });
    expect(await raw.receives(({ id }) => id === '1')).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'FORBIDDEN', _meta: { test_mode: true } } }],
    });
    raw.socket.terminate();
  });
});

describeOneEngine('Pages behind a proxy', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    const settings = { TRUST_PROXY: 'true', PUBLIC_URL: 'https://api.agency.example/travel' };
    server = await startTestServer(engine, { settings });
  });
  afterAll(() => server?.close());

  it.each([
    ['https://api.agency.example', {}, true],
    ['http://api.agency.example', {}, false],
    ['https://shown.example', { 'x-forwarded-host': 'shown.example' }, true],
    ['https://other.example', { 'x-forwarded-host': 'shown.example' }, false],
  ])('of the address that clients use may call: %s %j', async (origin, headers, isOpen) => {
    const raw = await openRawSocket(server.url, { headers: { origin, ...headers } });
    raw.send({ type: 'connection_init', payload: { Authorization: `Bearer ${server.keys.test}` } });
    const outcome = await Promise.race([
      raw.receives(({ type }) => type === 'connection_ack').then(() => 'open'),
      raw.closed().then(({ code }) => code),
    ]);
    raw.socket.terminate();
    expect(outcome).toBe(isOpen ? 'open' : 4403);
    const noted = server.logLines.some(
      (line) => line.includes('websocket of a page') && line.includes(`"${origin}"`),
    );
    expect(noted).toBe(!isOpen);
  });
});
