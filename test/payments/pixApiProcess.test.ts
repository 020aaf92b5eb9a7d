import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import { pixOf } from '../doors/door.ts';
import type { Build, BuiltServer } from '../harness/builtServer.ts';
import { allocateStore, buildServer } from '../harness/builtServer.ts';
import type { Certificates } from '../harness/certificates.ts';
import { testCertificates } from '../harness/certificates.ts';
import { restRequest } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { callbackSecret } from './pixApiStage.ts';
import { PixBank } from './pixBank.ts';

describeOneEngine('PAYMENT_PROVIDER=pix_api over mutual TLS', (engine) => {
  let [folder, environment]: [string, Record<string, string>] = ['', {}];
  let build: Build;
  let store: Awaited<ReturnType<typeof allocateStore>>;
  let bank: PixBank;

  async function fileOf(name: string, content: string): Promise<string> {
    const file = join(folder, name);
    await writeFile(file, content);
    return file;
  }

  /** What it takes to be let in by the bank, and to trust it. */
  async function tlsSettings({ authority, valid }: Certificates): Promise<Record<string, string>> {
    return {
      NODE_EXTRA_CA_CERTS: await fileOf('authority.pem', authority),
      PIX_API_CERTIFICATE: await fileOf('certificate.pem', valid.cert),
      PIX_API_PRIVATE_KEY: await fileOf('key.pem', valid.key),
    };
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'embarque-pix-'));
    build = await buildServer();
    store = await allocateStore(engine);
    const certificates = await testCertificates();
    bank = new PixBank({ ...certificates.valid, ca: certificates.authority });
    environment = {
      ...store.environment,
      ...(await bank.open()),
      ...(await tlsSettings(certificates)),
      PUBLIC_URL: 'https://agency.example/travel/',
      PIX_API_CALLBACK_SECRET: callbackSecret,
    };
  });
  afterAll(async () => {
    build?.remove();
    await bank?.close();
    await store?.release();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => bank.reset());

  async function recharging(settings: Record<string, string>): Promise<number> {
    const server: BuiltServer = await build.start({ ...environment, ...settings });
    try {
      const options = { key: store.keys.live, body: pixOf('100.00') };
      return (await restRequest(server.url, 'POST', '/api/v1/wallet/recharge', options)).status;
    } finally {
      await server.stop();
    }
  }

  it('shows the bank its certificate, at each request', async () => {
    expect(await recharging({})).toBe(201);
    expect(bank.charges.size).toBe(1);
    const names = [...bank.tokenRequests, ...bank.requests].map(({ commonName }) => commonName);
    expect(new Set(names)).toEqual(new Set(['receiver.test']));
  });

  it('has the bank make charges of at least a second', async () => {
    expect(await recharging({ PIX_VALIDITY: '1s' })).toBe(201);
    expect([...bank.charges.values()].map(({ calendario }) => calendario.expiracao)).toEqual([1]);
  });

  it('is not let in without one', async () => {
    expect(await recharging({ PIX_API_CERTIFICATE: '', PIX_API_PRIVATE_KEY: '' })).toBe(500);
    expect(bank.requests).toEqual([]);
  });

  const starting = async (settings: Record<string, string>) =>
    (await startServer(readSettings({ ...environment, ...settings }))).close();

  it('does not start with the key of another certificate', async () => {
    const key = await fileOf('other.pem', (await testCertificates()).rsa.key);
    await expect(starting({ PIX_API_PRIVATE_KEY: key })).rejects.toThrow(
      /in PEM \(the key is that of another certificate\)$/m,
    );
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['settings that are missing', { PIX_KEY: '', PIX_API_URL: '' }, /pix_api needs PIX_API_URL, PIX_KEY$/m],
    [
      'a certificate without its key',
      { PIX_API_PRIVATE_KEY: '' },
      /pix_api needs PIX_API_PRIVATE_KEY \(beside PIX_API_CERTIFICATE\)$/m,
    ],
    [
      'a city without a name',
      { PIX_RECEIVER_CITY: 'Recife' },
      /PIX_RECEIVER_NAME \(beside PIX_RECEIVER_CITY\)$/m,
    ],
    ['a file that is not there', { PIX_API_CERTIFICATE: '/none.pem' }, /PIX_API_CERTIFICATE: .*\/none\.pem/],
    ['a key that is none', { PIX_API_PRIVATE_KEY: '/dev/null' }, /no certificate and its key in PEM/],
    ['a certificate that is none', { PIX_API_CERTIFICATE: '/dev/null' }, /no certificate and its key in PEM/],
  ])('does not start with %s, and says so in one line', async (_what, settings, line) => {
    await expect(starting(settings)).rejects.toThrow(line);
  });

  it('npm run pix:callback has the bank call it, and nobody else unless it is told to', async () => {
    const run = (...options: string[]) => build.registerCallback(environment, ...options);
    const wanted = `https://agency.example/travel/callbacks/payments/pix_api/${callbackSecret}`;
    const from = 'The bank calls this deployment';
    expect(await run()).toEqual({ code: 0, stdout: `${from} from now on\n`, stderr: '' });
    expect([...bank.callbackUrls]).toEqual([[bank.pixKey, wanted]]);
    expect(await run()).toEqual({ code: 0, stdout: `${from} already\n`, stderr: '' });
    bank.callbackUrls.set(bank.pixKey, 'https://other.example/pix');
    expect(await run()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('https://other.example/pix'),
    });
    expect(bank.callbackUrls.get(bank.pixKey)).toBe('https://other.example/pix');
    expect(await run('--replace')).toMatchObject({ code: 0 });
    expect(bank.callbackUrls.get(bank.pixKey)).toBe(wanted);
    expect(bank.tokenRequests[0]?.body.scope).toBe('webhook.read webhook.write');
  });

  it.each<[string, Record<string, string>, string]>([
    ['another provider', { PAYMENT_PROVIDER: 'simulated' }, 'PAYMENT_PROVIDER is simulated'],
    [
      'an address that banks do not call',
      { PUBLIC_URL: 'http://agency.example' },
      'PUBLIC_URL must start with https',
    ],
    ['no secret', { PIX_API_CALLBACK_SECRET: '' }, 'set PIX_API_CALLBACK_SECRET'],
    ['a key of somebody else', { PIX_KEY: 'the/irs' }, 'GET /webhook/the/irs answered 400'],
  ])('npm run pix:callback registers nothing with %s', async (_what, settings, reason) => {
    const { code, stderr } = await build.registerCallback({ ...environment, ...settings });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`Not registered: ${reason}`)]);
    expect(bank.callbackUrls.size).toBe(0);
    for (const { path } of bank.requests) expect(path).toContain('/webhook/the%2Firs?');
  });
});
