import { afterAll, beforeEach, expect, it } from 'vitest';
import type { RestAnswer } from '../harness/client.ts';
import { eventually, graphqlDoor, restRequest } from '../harness/client.ts';
import type { Place } from '../harness/engines.ts';
import { embedded } from '../harness/engines.ts';
import { connectRawSocket, openRawSocket } from '../harness/rawSocket.ts';
import { useServerProcesses } from '../harness/serverProcess.ts';

let place: Place;
const places: Place[] = [];
beforeEach(async () => {
  place = await embedded.allocate();
  places.push(place);
});
afterAll(() => Promise.all(places.map((one) => one.release())));

// After that hook, since hooks that end come in the reverse order: a process ends before what it works on is gone.
const startProcess = useServerProcesses();

const chosen = {
  BOOTSTRAP_LIVE_KEY: 'sk_live_chosen-by-the-operator-1',
  BOOTSTRAP_TEST_KEY: 'sk_test_chosen-by-the-operator-2',
  BOOTSTRAP_ADMIN_KEY: 'sk_admin_chosen-by-the-operator-3',
  ENCRYPTION_KEY: '0123456789abcdef'.repeat(4),
};

/** Each of its letters as URLs may spell it. */
const escaped = (text: string) => text.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);

it('no output of the server holds a secret, however it got there, at any log level', async () => {
  const server = startProcess({
    PORT: '0',
    ...place.settings,
    LOG_LEVEL: 'trace',
    WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
    WEBHOOK_REACHABILITY_CHECK: 'false',
    WEBHOOK_RETRY_DELAYS: '0s',
    ...chosen,
  });
  const url = await server.ready();
  const answers: RestAnswer[] = [];
  const ask = async (method: string, path: string, options: Parameters<typeof restRequest>[3] = {}) => {
    const answer = await restRequest(url, method, path, options);
    answers.push(answer);
    return answer;
  };
  const operator = chosen.BOOTSTRAP_ADMIN_KEY;
  const team = await graphqlDoor(url, '{ teams { items { id } } }', null, operator);
  const teamId = team.body.data?.teams.items[0].id;
  const issue =
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }';
  const headers = { 'idempotency-key': 'issue' };
  const issued = await graphqlDoor(
    url,
    issue,
    { input: { kind: 'live', teamId, name: 'A' } },
    operator,
    headers,
  );
  await graphqlDoor(url, issue, { input: { kind: 'live', teamId, name: 'A' } }, operator, headers);
  const key = issued.body.data?.createApiKey.secret as string;
  const mailed =
    'mutation ($id: ID!) { updateTeam(id: $id, input: { alertEmail: "ops@agency.example" }) { id } }';
  await graphqlDoor(url, mailed, { id: teamId }, operator);
  const webhook = await ask('POST', '/api/v1/webhooks', {
    key,
    body: { url: `https://127.0.0.1:65000/hook?auth=${key}`, events: ['wallet.recharge.pending'] },
  });
  const signingSecret = webhook.body.data.secret as string;
  expect(signingSecret.length).toBeGreaterThan(20);
  const { ENCRYPTION_KEY: encryptionKey, ...bearerKeys } = chosen;
  const sent = [...Object.values(bearerKeys), key, signingSecret];
  const cpf = '52998224725';
  const parts = sent.flatMap((secret) => [escaped(secret), secret.slice(-8)]);
  const secrets = [...sent, ...parts, signingSecret.replace(/^whsec_/, ''), encryptionKey, cpf];

  const createTeam = 'mutation ($input: CreateTeamInput!) { createTeam(input: $input) { id taxId } }';
  const payer = { name: 'Payer', taxId: cpf };
  const created = await graphqlDoor(url, createTeam, { input: payer }, operator, {
    'idempotency-key': 'team',
  });
  expect(created.body.data?.createTeam.taxId).toBe(cpf);
  await graphqlDoor(url, createTeam, { input: { ...payer, taxId: `${cpf}0` } }, operator);
  await graphqlDoor(url, createTeam, { input: { ...payer, name: '', address: cpf } }, operator);
  const document = `mutation { updateTeam(id: "${teamId}", input: { taxId: "${cpf}" }) { taxId } }`;
  expect((await graphqlDoor(url, document, null, operator)).body.data?.updateTeam.taxId).toBe(cpf);
  await graphqlDoor(url, document.replace('{ taxId }', '{ nothing }'), null, operator);

  for (const secret of sent) {
    await ask('GET', `/api/v1/${secret}?key=${secret}`, { key });
    await ask('GET', `/api/v1/%20${secret}`, { key });
    await ask('GET', `/api/v1/${escaped(secret)}`, { key });
    await ask('GET', `/api/v1/${secret.slice(0, -8)}%2F${secret.slice(-8)}`, { key });
    await ask('GET', `/api/v1/wallet/recharge/${secret}`, { key });
    await ask('GET', '/api/v1/wallet/balance', { key: secret, headers: { 'x-request-id': secret } });
    await ask('GET', '/api/v1/wallet/balance', { key, headers: { 'user-agent': secret, cookie: secret } });
    await ask('POST', '/api/v1/wallet/recharge', { key, body: { amount: secret, [secret]: secret } });
    await ask('POST', '/api/v1/wallet/recharge', { key, body: `{"amount": ${secret}` });
    await ask('POST', '/graphql', { key, body: { query: `{ nothing(key: "${secret}") }` } });
    await ask('POST', '/graphql', {
      key,
      body: { query: 'query ($id: String!) { recharge(id: $id) { id } }', variables: { id: secret } },
    });
    await ask('POST', '/graphql', {
      key,
      headers: { accept: 'text/event-stream' },
      body: { query: `{ ${secret} }` },
    });
    const refused = await openRawSocket(url);
    refused.send({ type: 'connection_init', payload: { Authorization: secret } });
    await refused.closed();
  }
  await ask('POST', '/api/v1/wallet/recharge', {
    key,
    headers: { 'idempotency-key': 'pay' },
    body: { amount: '100.00', currency: 'BRL', payment_method: 'pix' },
  });
  // It fails for good, which is mailed: into the log here.
  await eventually(() => server.log().some(({ mail }) => mail !== undefined));
  const socket = await connectRawSocket(url, key);
  socket.send(`{"type":"subscribe","id":"1","payload":{"query":"{ ${key} }"}`);
  await socket.closed();
  const id = issued.body.data?.createApiKey.apiKey.id;
  await graphqlDoor(url, `mutation { revokeApiKey(id: "${id}") { id } }`, null, operator);
  await eventually(async () => (await ask('GET', '/api/v1/wallet/balance', { key })).status === 401);
  await server.stop();

  const { stdout, stderr } = server.output;
  const shown = `${stdout}${stderr}`.split('\n');
  for (const secret of secrets) expect(shown.filter((line) => line.includes(secret))).toEqual([]);
  const lines = stdout.slice(stdout.indexOf('balance availableCredit } }"}\'')).split('\n').slice(1);
  const entries = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  for (const entry of entries) {
    expect(entry).toMatchObject({ level: expect.any(Number), time: expect.any(String), service: 'embarque' });
  }
  const logged = new Set(server.log().map(({ requestId }) => requestId));
  for (const { headers } of answers) expect(logged).toContain(headers.get('x-request-id'));
  expect(entries.some(({ level }) => level < 30)).toBe(true);
});

it('a fault that nobody hears ends the server, and its last line says so without a secret', async () => {
  const secret = 'sk_live_0123456789abcdef';
  const fault = `Object.assign(new Error('broken by ${secret}'), { parameters: ['${secret}'] })`;
  const breaking = Buffer.from(`process.on('SIGUSR2', () => { throw ${fault}; });`).toString('base64');
  const server = startProcess({
    ...place.settings,
    PORT: '0',
    ENCRYPTION_KEY: chosen.ENCRYPTION_KEY,
    NODE_OPTIONS: `--import=data:text/javascript;base64,${breaking}`,
  });
  await server.ready();
  server.process.kill('SIGUSR2');
  expect(await server.exited).toEqual({ code: 1, signal: null });
  expect(server.log().at(-1)).toMatchObject({
    level: 60,
    msg: 'failed',
    err: { message: 'broken by sk_live_[redacted]' },
  });
  expect(JSON.stringify(server.output)).not.toContain(secret);
});
