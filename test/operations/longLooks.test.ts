import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { notedKeys } from '../../src/domain/vault/keyCheck.ts';
import { forgetFormerKeys, resealAll } from '../../src/domain/vault/resealing.ts';
import { type Database, openDatabase } from '../../src/infrastructure/database/database.ts';
import { silenceMs } from '../../src/infrastructure/database/namedQuery.ts';
import { createVault, type Vault } from '../../src/infrastructure/secrets/vault.ts';
import { openStore } from '../../src/store.ts';
import { describeSeveralSessions, type Place } from '../harness/engines.ts';

const log = pino({ level: 'silent' });

/** Looking at a value's mark takes as long as somebody holds this lock, as if there were millions before it. */
const slowness = `
  CREATE SCHEMA slow;
  CREATE FUNCTION slow.left(text, integer) RETURNS text LANGUAGE plpgsql SET lock_timeout = 0 AS $$
  BEGIN
    PERFORM pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1);
    RETURN pg_catalog.left($1, $2);
  END $$`;

/** Of a key that no process has, and with which nothing is sealed. */
const strangeKey = 'deadbeef';

const waitingLooks = `SELECT pid FROM pg_stat_activity
   WHERE datname = current_database() AND wait_event = 'advisory' AND query LIKE '%left(%'`;

describeSeveralSessions('A look at all that is sealed, which takes longer than a request may', (engine) => {
  let place: Place;
  let other: pg.Client;
  let environment: Record<string, string>;
  let vault: Vault;
  beforeEach(async () => {
    place = await engine.allocate();
    const { DATABASE_URL = '', ENCRYPTION_KEY = '' } = place.settings;
    vault = createVault(ENCRYPTION_KEY);
    const slow = new URL(DATABASE_URL);
    slow.searchParams.set('options', '-c search_path=public,slow,pg_catalog');
    environment = { ...place.settings, DATABASE_URL: slow.href };
    other = new pg.Client(DATABASE_URL);
    await other.connect();
    await other.query(slowness);
    await other.query(
      `INSERT INTO teams (id, name, sealed_tax_id, markup_percent, fee_cents, created_at, updated_at)
       VALUES ('team_1', 'Sealed', $1, 0, 0, now(), now())`,
      [vault.seal('52998224725')],
    );
    await other.query('INSERT INTO encryption_keys (id) VALUES ($1)', [strangeKey]);
    await other.query('SELECT pg_advisory_lock(1)');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await other.end();
    await place.release();
  });

  /** Has it last for so long. @returns the sessions that were looking at its beginning and at its end. */
  async function last(): Promise<{ before: unknown[]; after: unknown[] }> {
    const looking = async () => (await other.query(waitingLooks)).rows;
    let before: unknown[] = [];
    while (before.length === 0) before = await looking();
    await vi.advanceTimersByTimeAsync(silenceMs);
    const after = await looking();
    await other.query('SELECT pg_advisory_unlock(1)');
    return { before, after };
  }

  /** Connections that reads have shared go back to the pool in a while. */
  async function close(database: Database): Promise<void> {
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    await database.close();
  }

  it('is waited for by keys:reseal', async () => {
    const settings = readSettings(environment);
    const database = await openDatabase(settings, [], log);
    try {
      const reseal = async () => {
        const kinds = [];
        for await (const { kind, kept } of resealAll(vault, database.sequelize, async () => undefined))
          if (kept > 0) kinds.push(kind);
        return [kinds, await forgetFormerKeys(vault, database.sequelize)];
      };
      const resealed = reseal().catch((error: Error) => error);
      const { before, after } = await last();
      expect(await resealed).toEqual([['tax ids of teams'], 0]);
      expect(after).toEqual(before);
    } finally {
      await close(database);
    }
  });

  it('is waited for by a start that lacks a key', async () => {
    const opened = openStore(readSettings(environment), log).catch((error: Error) => error);
    const { before, after } = await last();
    const store = await opened;
    if (store instanceof Error) throw store;
    try {
      expect(await notedKeys(store.database.sequelize)).toEqual([vault.keyId]);
      expect(after).toEqual(before);
    } finally {
      await close(store.database);
    }
  });
});
