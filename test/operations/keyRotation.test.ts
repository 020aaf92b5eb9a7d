import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealedValues } from '../../src/domain/vault/sealedValues.ts';
import { createVault, markLength } from '../../src/infrastructure/vault.ts';
import type { Build } from '../domain/crashServer.ts';
import { buildServer } from '../domain/crashServer.ts';
import type { Json } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { DeliveryWorld } from '../webhooks/deliveryWorld.ts';
import { newEncryptionKey, SealedContent } from './sealedContent.ts';

let build: Build;
beforeAll(async () => {
  build = await buildServer();
});
afterAll(() => build?.remove());

const [former, present, unknown] = [newEncryptionKey(), newEncryptionKey(), newEncryptionKey()];

/** Of teams, without those that this is about. */
const teamColumns = 'markup_percent, fee_cents, created_at, updated_at';

const columns = sealedValues.map(({ column }) => column.split('.') as [string, string]);

/** Rewrites what is sealed in the form in which the build before this one left it. */
async function asBefore(server: TestServer): Promise<void> {
  for (const [table, column] of columns)
    await server.query(
      `UPDATE ${table} SET ${column} = substr(${column}, ${markLength + 1}) WHERE left(${column}, 1) = '~'`,
    );
  await server.query('DELETE FROM encryption_keys');
}

/** All sealed values, in one order. */
async function sealedTexts(server: TestServer): Promise<string[]> {
  const texts = [];
  for (const [table, column] of columns)
    for (const row of await server.query<{ sealed: string }>(
      `SELECT ${column} AS sealed FROM ${table} WHERE ${column} NOT LIKE '{%' ORDER BY 1`,
    ))
      texts.push(row.sealed);
  return texts;
}

describeEngines('Rotation of the encryption key', (engine) => {
  describe.each([
    ['of this build', async () => undefined],
    ['of the build before, whose values do not tell their key', asBefore],
  ] as const)('in a store %s', (_store, prepare) => {
    let world: DeliveryWorld;
    let content: SealedContent;
    let before: Json;
    let formerLink: string;
    const keys = (key: string, others: string[]) => ({
      ENCRYPTION_KEY: key,
      ENCRYPTION_KEY_PREVIOUS: others.join(','),
    });
    const restart = (key: string, ...others: string[]) => world.server.restart(keys(key, others));

    /** A start with these keys, after that of the server has ended. */
    async function expectRefused(key: string, ...others: string[]) {
      await world.server.running.close();
      await expect(build.start({ ...world.server.environment, ...keys(key, others) })).rejects.toThrow(
        /Wrong settings: ENCRYPTION_KEY: .*another key.*: list it in ENCRYPTION_KEY_PREVIOUS/,
      );
    }

    /** On the embedded store the command and the server take turns; on PostgreSQL it runs beside the server. */
    async function reseal() {
      if (engine.name === 'embedded') await world.server.running.close();
      const outcome = await build.resealKeys(world.server.environment);
      if (engine.name === 'embedded') await world.server.restart();
      return outcome;
    }

    beforeAll(async () => {
      world = await DeliveryWorld.open(engine, {
        settings: { ENCRYPTION_KEY: former, SIMULATED_TICKETING_DELAY: '0s' },
      });
      content = await SealedContent.make(world);
      await prepare(world.server);
      before = await content.shown();
      await content.expectWhole(before);
      formerLink = await content.ticketLink();
    });
    afterAll(() => world?.close());

    it('is refused without the former key, and with a wrong one', async () => {
      await expectRefused(present);
      await expectRefused(present, unknown);
    });

    it('is not kept from starting by a key that was a slip and has sealed nothing', async () => {
      await restart(unknown, former);
      await restart(present, former);
    });

    it('leaves everything as it was, before it was sealed anew', async () => {
      await restart(present, unknown, former);
      await content.expectWhole(before);
      expect(await content.followed(formerLink)).toBe(200);
      expect(await content.ticketLink()).not.toBe(formerLink);
      expect(await content.followed(await content.ticketLink())).toBe(200);
    });

    it('refuses to go on without the former key as long as something is sealed with it', async () => {
      await expectRefused(present);
    });

    it('leaves nothing under the former key once everything was sealed anew', async () => {
      await restart(present, former);
      const { code, stdout, stderr } = await reseal();
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.split('\n')).toEqual([
        'ok      headers of webhooks: 1 sealed anew, 0 were already',
        'ok      secrets of webhooks: 1 sealed anew, 0 were already',
        'ok      tax ids of teams: 1 sealed anew, 0 were already',
        'ok      addresses of teams: 1 sealed anew, 0 were already',
        'ok      travellers of bookings: 1 sealed anew, 0 were already',
        'ok      answers of Idempotency-Keys: 2 sealed anew, 0 were already',
        expect.stringMatching(
          /^Nothing is left under a former key: 7 values, all sealed with [0-9a-f]{8}\.$/,
        ),
        '',
      ]);
      expect(await world.server.query('SELECT id FROM encryption_keys')).toEqual([
        { id: createVault(present).keyId },
      ]);
      await restart(present);
      await content.expectWhole(before);
    });

    it('ends what the former key has signed', async () => {
      expect(await content.followed(formerLink)).toBe(404);
      expect(await content.followed(await content.ticketLink())).toBe(200);
    });

    it('does nothing the second time', async () => {
      const texts = await sealedTexts(world.server);
      expect(texts).toHaveLength(7);
      const { code, stdout } = await reseal();
      expect(code).toBe(0);
      expect(stdout.match(/ 0 sealed anew, /g)).toHaveLength(6);
      expect(await sealedTexts(world.server)).toEqual(texts);
    });

    it('names what cannot be opened, shows nothing of it, and keeps the former key in force', async () => {
      await restart(former, present);
      const [broken] = await world.server.query<{ id: string }>(
        `INSERT INTO teams (${teamColumns}, id, name, sealed_tax_id)
         SELECT ${teamColumns}, 'team_broken', 'Broken', overlay(sealed_tax_id PLACING 'AAAA' FROM 20)
           FROM teams WHERE sealed_tax_id IS NOT NULL RETURNING id`,
      );
      const { code, stdout } = await reseal();
      expect(code).toBe(1);
      expect(stdout).toContain('FAILED  tax ids of teams: 1 sealed anew, 0 were already\n');
      expect(stdout).toContain(`        cannot be opened: ${broken?.id}\n`);
      expect(stdout).toMatch(/\nNo key opens 1 of the values\.\n$/);
      for (const text of await sealedTexts(world.server)) expect(stdout).not.toContain(text.slice(-12));
      await expectRefused(former);
      await restart(former, present);
      await content.expectWhole(before);
    });
  });

  it('knows every column that is sealed', async () => {
    const world = await DeliveryWorld.open(engine);
    const named = await world.server.query<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name LIKE '%sealed%'`,
    );
    const answers = 'idempotency_keys.outcome';
    expect(sealedValues.map(({ column }) => column).sort()).toEqual(
      [answers, ...named.map(({ name }) => name)].sort(),
    );
    await world.close();
  });
});
