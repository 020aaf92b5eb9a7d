import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildServer } from '../harness/builtServer.ts';
import { restRequest } from '../harness/client.ts';
import type { Place } from '../harness/engines.ts';
import { describeEngines, describeOneEngine, embedded } from '../harness/engines.ts';
import { useServerProcesses } from '../harness/serverProcess.ts';

const startProcess = useServerProcesses();
const caller = 'sk_live_0123456789abcdef';

const startAt = (place: Place, environment: Record<string, string> = {}) =>
  startProcess({
    ...place.settings,
    PORT: '0',
    WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
    WEBHOOK_REACHABILITY_CHECK: 'false',
    BOOTSTRAP_LIVE_KEY: caller,
    ...environment,
  });

const register = (url: string) =>
  restRequest(url, 'POST', '/api/v1/webhooks', {
    key: caller,
    body: { url: 'https://127.0.0.1:65000/hook', events: ['wallet.recharge.pending'] },
  });

describeOneEngine('A key that has sealed nothing', (engine) => {
  it('may be replaced at once', async () => {
    const place = await engine.allocate();
    for (const key of [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]) {
      const server = startAt(place, { ENCRYPTION_KEY: key });
      await server.ready();
      await server.stop();
    }
    await place.release();
  });
});

describeEngines('A process with another ENCRYPTION_KEY than that of what is stored', (engine) => {
  let place: Place;
  beforeAll(async () => {
    place = await engine.allocate();
  });
  afterAll(() => place.release());

  it('does not start', async () => {
    const [key, other] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
    const start = (encryptionKey: string) => startAt(place, { ENCRYPTION_KEY: encryptionKey });
    const sealing = start(key);
    expect((await register(await sealing.ready())).status).toBe(201);
    await sealing.stop();

    const wrong = start(other);
    expect(await wrong.exited).toEqual({ code: 1, signal: null });
    expect(wrong.output.stderr).toMatch(
      /^Wrong settings: ENCRYPTION_KEY: .*another key \(id [0-9a-f]{8}\): list it in ENCRYPTION_KEY_PREVIOUS .*\n$/,
    );
    expect(JSON.stringify(wrong.output)).not.toContain(other);
    expect(JSON.stringify(wrong.output)).not.toContain(key);
  });
});

it('A key file of the embedded store that a full disk left empty is made again; what holds no key, or cannot be read, is refused', async () => {
  const place = await embedded.allocate();
  const keyFile = join(place.settings.DATA_DIR ?? '', 'encryption.key');
  const start = () => startAt(place);
  await writeFile(keyFile, '');
  const healed = start();
  expect((await register(await healed.ready())).status).toBe(201);
  await healed.stop();
  // Whoever reads it opens every secret of the store.
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600);

  await writeFile(keyFile, 'half a key');
  const refused = start();
  expect(await refused.exited).toEqual({ code: 1, signal: null });
  expect(refused.output.stderr).toMatch(/^Not started: DATA_DIR: .*encryption\.key does not hold .*\n$/);

  await rm(keyFile);
  await mkdir(keyFile);
  const unread = start();
  expect(await unread.exited).toEqual({ code: 1, signal: null });
  expect(unread.output.stderr).toMatch(/^Not started: DATA_DIR: EISDIR: .*\n$/);
  await place.release();
});

it('A store whose key file is gone asks for it, and makes no other', async () => {
  const place = await embedded.allocate();
  const keyFile = join(place.settings.DATA_DIR ?? '', 'encryption.key');
  const first = startAt(place);
  expect((await register(await first.ready())).status).toBe(201);
  await first.stop();
  await rename(keyFile, `${keyFile}.kept`);

  const build = await buildServer();
  const fault = `Wrong settings: DATA_DIR: ${keyFile} is missing or empty, which opens what is stored there: put it back from the backup`;
  const refuses = async () => {
    const refused = startAt(place);
    expect(await refused.exited).toEqual({ code: 1, signal: null });
    expect(refused.output.stderr).toBe(`${fault}\n`);
    for (const options of [[], ['--new-key']])
      expect(await build.resealKeys(place.settings, ...options)).toMatchObject({
        code: 2,
        stderr: `Not resealed: ${fault}\n`,
      });
  };
  await refuses();
  await expect(stat(keyFile)).rejects.toThrow('ENOENT');
  await writeFile(keyFile, '');
  await refuses();
  expect((await stat(keyFile)).size).toBe(0);

  await rename(`${keyFile}.kept`, keyFile);
  const again = startAt(place);
  await again.ready();
  await again.stop();
  await place.release();
});
