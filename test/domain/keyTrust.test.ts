import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { Access } from '../../src/domain/teams/access.ts';
import { hashSecretKey } from '../../src/domain/teams/secretKey.ts';
import { describeOneEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

describeOneEngine('A process that no signal reaches', (engine) => {
  let server: TestServer;
  let access: Access;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  beforeEach(() => {
    const { platform } = server.running.gateway;
    const signals = { ...platform.signals, subscribe: async () => () => undefined };
    access = new Access({ ...platform, signals });
  });
  afterEach(() => {
    access.close();
    vi.useRealTimers();
  });
  afterAll(() => server?.close());

  const newKey = async () => {
    const { teamId } = await server.createTeam();
    return server.createKey({ kind: 'live', teamId });
  };
  const foundKey = async () => {
    const key = await newKey();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] });
    access.listen();
    expect(await access.authenticate(key.secret)).toMatchObject({ keyId: key.id });
    return key;
  };
  const told = (secret: string) =>
    new Promise<void>((resolve) => access.watch(hashSecretKey(secret), resolve));
  const revoke = (id: string) => server.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [id]);

  it('takes no key a second after its revocation', async () => {
    const { id, secret } = await foundKey();
    await revoke(id);
    vi.advanceTimersByTime(1_000);
    expect(await access.authenticate(secret)).toBeNull();
  });

  it('ends what is watched within a second of its revocation', async () => {
    const { id, secret } = await foundKey();
    const revoked = told(secret);
    await revoke(id);
    vi.advanceTimersByTime(1_000);
    await revoked;
  });

  it('ends what is watched beside another watch of the key that has ended', async () => {
    const { id, secret } = await foundKey();
    const endOther = access.watch(hashSecretKey(secret), () => undefined);
    const revoked = told(secret);
    endOther();
    await revoke(id);
    vi.advanceTimersByTime(1_000);
    await revoked;
  });

  it('looks at no key whose last watch has ended', async () => {
    const others = [await newKey(), await newKey()];
    const ended = await foundKey();
    access.watch(hashSecretKey(ended.secret), () => undefined)();
    let isFound = false;
    access.onRevoked(hashSecretKey(ended.secret), () => {
      isFound = true;
    });
    await revoke(ended.id);
    // What was read beside the first has been answered by the time of the second.
    for (const { id, secret } of others) {
      const revoked = told(secret);
      await revoke(id);
      vi.advanceTimersByTime(1_000);
      await revoked;
    }
    expect(isFound).toBe(false);
    expect(await access.authenticate(ended.secret)).toBeNull();
    expect(isFound).toBe(true);
  });
});
