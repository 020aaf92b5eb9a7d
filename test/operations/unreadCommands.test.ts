import { closeSync, openSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtProduct } from '../harness/builtProduct.ts';
import type { Build, BuiltServer } from '../harness/builtServer.ts';
import { allocateStore, buildServer } from '../harness/builtServer.ts';
import { graphqlDoor } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { operations } from '../harness/operator.ts';
import { startBuilt } from '../harness/serverProcess.ts';

type Losing = (file: string, environment: Record<string, string>, options: string[]) => Promise<Unread>;

interface Unread {
  code: number | null;
  stderr: string;
}

/** Writes fail there as on a disk that is full. */
async function onFullDisk<Result>(use: (disk: number) => Promise<Result>): Promise<Result> {
  const disk = openSync('/dev/full', 'w');
  try {
    return await use(disk);
  } finally {
    closeSync(disk);
  }
}

describeSeveralSessions('A command whose output nobody takes', (engine) => {
  let folder: string;
  let build: Build;
  let store: Awaited<ReturnType<typeof allocateStore>>;
  let server: BuiltServer;
  beforeAll(async () => {
    folder = await builtProduct();
    build = await buildServer();
    store = await allocateStore(engine);
    server = await build.start(store.environment);
  });
  afterAll(async () => {
    await server?.stop();
    build?.remove();
    await store?.release();
  });

  const intoClosedPipe: Losing = async (...command) => {
    const { process: child, exited, output } = startBuilt(folder, ...command);
    child.stdout?.destroy();
    const { code } = await exited;
    return { code, stderr: output.stderr };
  };

  const ontoFullDisk: Losing = (...command) =>
    onFullDisk(async (disk) => {
      const { exited, output } = startBuilt(folder, ...command, [disk, 'pipe']);
      const { code } = await exited;
      return { code, stderr: output.stderr };
    });

  const losses: [string, Losing, string][] = [
    ['the reader of its pipe has gone', intoClosedPipe, 'write EPIPE'],
    ['the disk is full', ontoFullDisk, 'ENOSPC: no space left on device, write'],
  ];

  it.each(losses)('does not say that a sound ledger is broken: %s', async (_, losing, reason) => {
    expect(await losing('ledgerVerify.js', store.environment, [])).toEqual({
      code: 2,
      stderr: `Not verified: standard output takes nothing (${reason})\n`,
    });
  });

  it('does not say so where standard error takes nothing either', async () => {
    const { code } = await onFullDisk(
      (disk) => startBuilt(folder, 'ledgerVerify.js', store.environment, [], [disk, disk]).exited,
    );
    expect(code).toBe(2);
  });

  it.each(losses)('does not say that values are left under a former key: %s', async (_, losing, reason) => {
    expect(await losing('keysReseal.js', store.environment, [])).toEqual({
      code: 2,
      stderr: `Not resealed: standard output takes nothing (${reason})\n`,
    });
  });

  it.each(losses)('tells which operator key nobody has seen: %s', async (_, losing, reason) => {
    const { code, stderr } = await losing('operatorKey.js', store.environment, ['Lost']);
    const [, id] = /^Revoke (key_\w{26}) with revokeApiKey$/m.exec(stderr) ?? [];
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `Issued, and shown to nobody: standard output takes nothing (${reason})\nRevoke ${id} with revokeApiKey\n`,
    });
    const revoked = await graphqlDoor(server.url, operations.revokeApiKey, { id }, store.keys.operator);
    expect(revoked.body).toMatchObject({ data: { revokeApiKey: { id } } });
  });
});
