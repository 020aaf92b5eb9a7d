import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { sealedValues } from '../../src/domain/vault/sealedValues.ts';
import { createVault, markLength } from '../../src/infrastructure/secrets/vault.ts';
import { startServer } from '../../src/server.ts';
import type { Build } from '../harness/builtServer.ts';
import { buildServer } from '../harness/builtServer.ts';
import type { Json } from '../harness/client.ts';
import type { Engine } from '../harness/engines.ts';
import { describeEngines, describeOneEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { silentLog } from '../harness/silentLog.ts';
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

const keySettings = (key: string, others: string[]) => ({
  ENCRYPTION_KEY: key,
  ENCRYPTION_KEY_PREVIOUS: others.join(','),
});

/** A server with everything that is sealed, and what an operator does with its key. */
class Rotation {
  readonly world: DeliveryWorld;
  readonly content: SealedContent;
  readonly #before: Json;
  readonly #isEmbedded: boolean;

  private constructor(engine: Engine, world: DeliveryWorld, content: SealedContent, before: Json) {
    this.#isEmbedded = engine.name === 'embedded';
    this.world = world;
    this.content = content;
    this.#before = before;
  }

  static async begin(engine: Engine): Promise<Rotation> {
    const world = await DeliveryWorld.open(engine, {
      settings: { ENCRYPTION_KEY: former, SIMULATED_TICKETING_DELAY: '0s' },
    });
    onTestFinished(() => world.close());
    const content = await SealedContent.make(world);
    return new Rotation(engine, world, content, await content.shown());
  }

  restart(key: string, ...others: string[]): Promise<void> {
    return this.world.server.restart(keySettings(key, others));
  }

  /** A start with these keys, after that of the server has ended. */
  async expectRefused(key: string, ...others: string[]): Promise<void> {
    const { server } = this.world;
    await server.running.close();
    const settings = readSettings({ ...server.environment, ...keySettings(key, others) });
    await expect(startServer(settings, { log: silentLog })).rejects.toThrow(
      /Wrong settings: ENCRYPTION_KEY: .*another key.*: list it in ENCRYPTION_KEY_PREVIOUS/,
    );
  }

  /** On the embedded store the command and the server take turns; on PostgreSQL it runs beside the server. */
  async reseal() {
    const { server } = this.world;
    if (this.#isEmbedded) await server.running.close();
    const outcome = await build.resealKeys(server.environment);
    if (this.#isEmbedded) await server.restart();
    return outcome;
  }

  expectWhole(): Promise<void> {
    return this.content.expectWhole(this.#before);
  }
}

describeEngines('Rotation of the encryption key', (engine) => {
  it('leaves everything as it was and, once it is sealed anew, nothing under the former key', async () => {
    const rotation = await Rotation.begin(engine);
    const { content, world } = rotation;
    const formerLink = await content.ticketLink();
    await rotation.expectRefused(present);
    await rotation.expectRefused(present, unknown);
    // A slip, with which nothing is sealed.
    await rotation.restart(unknown, former);

    await rotation.restart(present, unknown, former);
    await rotation.expectWhole();
    expect(await content.followed(formerLink)).toBe(200);
    expect(await content.ticketLink()).not.toBe(formerLink);
    expect(await content.followed(await content.ticketLink())).toBe(200);
    await rotation.expectRefused(present);

    await rotation.restart(present, former);
    const { code, stdout, stderr } = await rotation.reseal();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'ok      headers of webhooks: 1 sealed anew, 0 were already',
      'ok      secrets of webhooks: 1 sealed anew, 0 were already',
      'ok      tax ids of teams: 1 sealed anew, 0 were already',
      'ok      addresses of teams: 1 sealed anew, 0 were already',
      'ok      travellers of bookings: 1 sealed anew, 0 were already',
      'ok      answers of Idempotency-Keys: 2 sealed anew, 0 were already',
      expect.stringMatching(/^Nothing is left under a former key: 7 values, all sealed with [0-9a-f]{8}\.$/),
      '',
    ]);
    expect(await world.server.query('SELECT id FROM encryption_keys')).toEqual([
      { id: createVault(present).keyId },
    ]);
    await rotation.restart(present);
    await rotation.expectWhole();
    expect(await content.followed(formerLink)).toBe(404);
    expect(await content.followed(await content.ticketLink())).toBe(200);

    const texts = await sealedTexts(world.server);
    expect(texts).toHaveLength(7);
    const again = await rotation.reseal();
    expect(again.code).toBe(0);
    expect(again.stdout.match(/ 0 sealed anew, /g)).toHaveLength(6);
    expect(await sealedTexts(world.server)).toEqual(texts);
  });

  it('leaves the answers that are kept for operators as they were', async () => {
    const rotation = await Rotation.begin(engine);
    const { server } = rotation.world;
    const create = () => {
      const document = `mutation { createTeam(input: { name: "Kept", taxId: "11.222.333/0001-81" }) { id taxId } }`;
      return server.graphql(document, null, server.keys.operator, { 'idempotency-key': 'kept' });
    };
    const first = await create();
    expect(first.body.data.createTeam).toMatchObject({ taxId: '11222333000181' });
    await rotation.restart(present, former);
    expect((await rotation.reseal()).code).toBe(0);
    await rotation.restart(present);
    expect((await create()).text).toBe(first.text);
  });

  it('names what cannot be opened, shows nothing of it, and keeps the former key in force', async () => {
    const rotation = await Rotation.begin(engine);
    const { server } = rotation.world;
    await rotation.restart(present, former);
    const [broken] = await server.query<{ id: string }>(
      `INSERT INTO teams (${teamColumns}, id, name, sealed_tax_id)
       SELECT ${teamColumns}, 'team_broken', 'Broken', overlay(sealed_tax_id PLACING 'AAAA' FROM 20)
         FROM teams WHERE sealed_tax_id IS NOT NULL RETURNING id`,
    );
    const { code, stdout } = await rotation.reseal();
    expect(code).toBe(1);
    expect(stdout).toContain('FAILED  tax ids of teams: 1 sealed anew, 0 were already\n');
    expect(stdout).toContain(`        cannot be opened: ${broken?.id}\n`);
    expect(stdout).toMatch(/\nNo key opens 1 of the values\.\n$/);
    for (const text of await sealedTexts(server)) expect(stdout).not.toContain(text.slice(-12));
    await rotation.expectRefused(present);
    await rotation.restart(present, former);
    await rotation.expectWhole();
  });
});

describeOneEngine('Rotation of the encryption key in a store of the build before', (engine) => {
  it('goes through what does not tell its key', async () => {
    const rotation = await Rotation.begin(engine);
    const { server } = rotation.world;
    await asBefore(server);
    await rotation.expectRefused(present);
    await rotation.expectRefused(present, unknown);
    await rotation.restart(unknown, former);
    await rotation.restart(present, former);
    await rotation.expectWhole();
    await rotation.expectRefused(present);
    await rotation.restart(present, former);
    expect(await rotation.reseal()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('\nNothing is left under a former key: 7 values, '),
    });
    await rotation.restart(present);
    await rotation.expectWhole();
  });

  it('asks for the former key for a single value that does not tell it, among all that do', async () => {
    const rotation = await Rotation.begin(engine);
    const { server } = rotation.world;
    await asBefore(server);
    const [answer] = await server.query<{ key: string; outcome: string }>(
      "SELECT key, outcome FROM idempotency_keys WHERE outcome NOT LIKE '{%' LIMIT 1",
    );
    await rotation.restart(present, former);
    expect((await rotation.reseal()).code).toBe(0);
    await rotation.restart(present);
    await server.query('UPDATE idempotency_keys SET outcome = $1 WHERE key = $2', [
      answer?.outcome,
      answer?.key,
    ]);
    await server.query('INSERT INTO encryption_keys (id) VALUES ($1)', [createVault(former).keyId]);
    await rotation.expectRefused(present);
    await rotation.restart(present, former);
    await rotation.expectWhole();
  });
});

describeOneEngine('The list of what is stored sealed', (engine) => {
  it('has every column of that name', async () => {
    const world = await DeliveryWorld.open(engine);
    onTestFinished(() => world.close());
    const named = await world.server.query<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name LIKE '%sealed%'`,
    );
    const answers = 'idempotency_keys.outcome';
    expect(sealedValues.map(({ column }) => column).sort()).toEqual(
      [answers, ...named.map(({ name }) => name)].sort(),
    );
  });

  it('has no column whose values are stored, or changed, without a note of their key', async () => {
    const world = await DeliveryWorld.open(engine);
    onTestFinished(() => world.close());
    const noting = await world.server.query<{ name: string }>(
      `SELECT event_object_table || '.' || left(trigger_name, -length('_notes_key')) AS name
         FROM information_schema.triggers WHERE trigger_name LIKE '%\\_notes\\_key' AND event_manipulation = 'INSERT'`,
    );
    expect(noting.map(({ name }) => name).sort()).toEqual(sealedValues.map(({ column }) => column).sort());
    const notingAnew = await world.server.query<{ name: string }>(
      `SELECT event_object_table || '.' || event_object_column AS name
         FROM information_schema.triggered_update_columns WHERE trigger_name LIKE '%\\_notes\\_key'`,
    );
    expect(notingAnew.map(({ name }) => name).sort()).toEqual(noting.map(({ name }) => name).sort());
  });

  it('notes the keys of values that a dump of nothing but data brings', async () => {
    const world = await DeliveryWorld.open(engine);
    onTestFinished(() => world.close());
    const vault = createVault(newEncryptionKey());
    // Such a dump leaves no search_path.
    await world.server.query(`DO 'BEGIN
      PERFORM set_config(''search_path'', '''', true);
      UPDATE public.teams SET sealed_tax_id = ''${vault.seal('52998224725')}'';
    END'`);
    expect(await world.server.query('SELECT id FROM encryption_keys')).toContainEqual({ id: vault.keyId });
  });
});
