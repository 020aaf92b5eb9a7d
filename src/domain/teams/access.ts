import { LRUCache } from 'lru-cache';
import { type ClockReading, longestSince, readClocks } from '../../infrastructure/clockReading.ts';
import { coalesce } from '../../infrastructure/database/coalesce.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { Outage } from '../../infrastructure/observability/outage.ts';
import type { SearchSettings, SearchSettingsRow } from '../flights/searchSettings.ts';
import { searchSettingsSql, toSearchSettings } from '../flights/searchSettings.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { KeyKind } from './apiKey.ts';
import type { Scope } from './scope.ts';
import { hashSecretKey, looksLikeSecretKey } from './secretKey.ts';

/** Who calls: a key, and with it the team and mode that everything it does is scoped to. */
export interface Caller {
  readonly keyId: string;
  readonly keyHash: string;
  readonly kind: KeyKind;
  /** Null for operators, who have no wallet. */
  readonly tenant: Tenant | null;
  readonly scopes: ReadonlySet<string>;
  readonly corsDomains: readonly string[];
  /** Null for operators, who do not search. */
  readonly search: SearchSettings | null;
}

/**
 * How long a key that was found is trusted unread: a revocation holds everywhere within a second, and so does a change
 * of its team's settings. In the process that made it, and with signals, either holds at once.
 */
const trustedMs = 700;

/** How long others join a read of a key: one on connections that have fallen silent may take a minute. */
const joinedMs = 1_000;

/** How often keys with open subscriptions are looked at: what is left of the second. */
const watchMs = 200;

interface ApiKeyRow extends SearchSettingsRow {
  id: string;
  kind: KeyKind;
  scopes: Scope[];
  team_id: string | null;
  wallet_id: number | null;
  cors_domains: string[] | null;
}

const findKey = statement<ApiKeyRow>(
  'find_key',
  `SELECT k.id, k.kind, k.scopes, k.team_id, w.id AS wallet_id, t.cors_domains, ${searchSettingsSql('t', 'w')}
     FROM api_keys k
     LEFT JOIN teams t ON t.id = k.team_id
     LEFT JOIN wallets w ON w.team_id = k.team_id AND w.mode = k.kind
    WHERE k.hash = decode($1, 'hex') AND k.revoked_at IS NULL`,
);

/**
 * Planned by itself, the search for origins goes through their index. Within a larger one PostgreSQL would read all teams for
 * a stranger's: it takes one in a hundred for a match, so the first seems to be near.
 */
const findOrigins = statement<{ origin: string }>(
  'find_cors_origins',
  `WITH known AS MATERIALIZED (SELECT cors_domains FROM teams WHERE cors_domains && $1::text[])
   SELECT DISTINCT origin FROM known, unnest(cors_domains) AS origin WHERE origin = ANY ($1::text[])`,
);

/** Key look-ups from memory, re-read often enough for a revocation to hold within a second even if signals are lost. */
export class Access {
  readonly #platform: Platform;
  /** Strangers may ask as often as they like: all who wait at a moment share one read. */
  readonly #findOrigin: (origin: string) => Promise<boolean | undefined>;
  readonly #callers = new LRUCache<string, { caller: Caller; readAt: ClockReading }>({ max: 10_000 });
  /** Hashes of keys that were found, so that each is computed once; the keys' own text never leaves this map. */
  readonly #hashes = new LRUCache<string, string>({ max: 10_000 });
  readonly #loading = new Map<string, { caller: Promise<Caller | null>; begunMs: number }>();
  /** Counts what was to be forgotten: a read that began before may have found what is no longer so. */
  #forgettings = 0;
  readonly #watchers = new Map<string, Set<() => void>>();
  /** How many of a key's watchers want it looked at. */
  readonly #watched = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  /** One for all watched keys: there may be thousands, each looked at five times a second. */
  readonly #outage: Outage;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#findOrigin = coalesce(async (origins) => {
      const rows = await run(platform.sequelize, findOrigins, [origins]);
      return new Map(rows.map(({ origin }) => [origin, true]));
    });
    this.#outage = new Outage(platform.log, {
      lost: 'keys not checked; trying again',
      back: 'keys are checked again',
    });
  }

  /** Starts listening for revocations. Returns at once: with signals down, re-reading alone holds the promise. */
  listen(): void {
    const { signals, log } = this.#platform;
    signals
      .subscribe('access', ({ hash }) => this.#forget(hash))
      .catch((error) => log.warn({ err: error }, 'not listening for revoked keys'));
    this.#timer = setInterval(() => this.#checkWatched([...this.#watched.keys()]), watchMs);
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#watchers.clear();
    this.#watched.clear();
  }

  /** Calls `revoked` within a second of the key's revocation; the returned function ends the watch. */
  watch(hash: string, revoked: () => void): () => void {
    this.#watched.set(hash, (this.#watched.get(hash) ?? 0) + 1);
    const forget = this.onRevoked(hash, revoked);
    let isOver = false;
    return () => {
      forget();
      if (isOver) return;
      isOver = true;
      const others = (this.#watched.get(hash) ?? 0) - 1;
      if (others > 0) this.#watched.set(hash, others);
      else this.#watched.delete(hash);
    };
  }

  /**
   * Calls `revoked` once the key is found to be revoked, without a look for that: at once with signals, and else with the
   * first that is asked with it. The returned function ends it.
   */
  onRevoked(hash: string, revoked: () => void): () => void {
    const watchers = this.#watchers.get(hash) ?? new Set();
    this.#watchers.set(hash, watchers.add(revoked));
    return () => {
      watchers.delete(revoked);
      // Ended twice, it must not end the watches of those who came in between.
      if (watchers.size === 0 && this.#watchers.get(hash) === watchers) this.#watchers.delete(hash);
    };
  }

  #forget(hash: string | null): void {
    this.#forgettings += 1;
    this.#loading.clear();
    if (hash === null) {
      this.#callers.clear();
      this.#hashes.clear();
    } else {
      this.#callers.delete(hash);
      if (this.#watchers.has(hash)) this.#checkWatched([hash]);
    }
  }

  #checkWatched(hashes: string[]): void {
    for (const hash of hashes)
      Promise.resolve(this.callerOfHash(hash)).catch((error) => this.#outage.begin(error));
  }

  /** The caller with this bearer key, or null. Answers without a promise when the key is known. */
  authenticate(key: string): Caller | null | Promise<Caller | null> {
    const known = this.#hashes.get(key);
    if (known !== undefined) return this.callerOfHash(known);
    if (!looksLikeSecretKey(key)) return null;
    const hash = hashSecretKey(key);
    const remember = (found: Caller | null) => {
      if (found) this.#hashes.set(key, hash);
      return found;
    };
    const caller = this.callerOfHash(hash);
    return caller instanceof Promise ? caller.then(remember) : remember(caller);
  }

  callerOfHash(hash: string): Caller | null | Promise<Caller | null> {
    const known = this.#callers.get(hash);
    if (known && longestSince(known.readAt) < trustedMs) return known.caller;
    const nowMs = performance.now();
    const joined = this.#loading.get(hash);
    if (joined && nowMs - joined.begunMs < joinedMs) return joined.caller;
    const caller = this.#load(hash).finally(() => {
      if (this.#loading.get(hash) === loading) this.#loading.delete(hash);
    });
    const loading = { caller, begunMs: nowMs };
    this.#loading.set(hash, loading);
    return caller;
  }

  /** Whether any team may call from this browser origin: all that a preflight, which carries no key, can be asked. */
  async originIsKnown(origin: string): Promise<boolean> {
    return (await this.#findOrigin(origin)) ?? false;
  }

  async #load(hash: string): Promise<Caller | null> {
    // Taken before the read: a revocation that commits while it runs must not be trusted for longer.
    const readAt = readClocks();
    const forgettings = this.#forgettings;
    const [row] = await run(this.#platform.sequelize, findKey, [hash]);
    this.#outage.end();
    if (!row) {
      this.#callers.delete(hash);
      for (const revoked of this.#watchers.get(hash) ?? []) revoked();
      return null;
    }
    const caller = toCaller(hash, row);
    if (forgettings === this.#forgettings) this.#callers.set(hash, { caller, readAt });
    return caller;
  }
}

function toCaller(hash: string, row: ApiKeyRow): Caller {
  const tenant =
    row.team_id !== null && row.wallet_id !== null && row.kind !== 'operator'
      ? { teamId: row.team_id, mode: row.kind, walletId: row.wallet_id }
      : null;
  return {
    keyId: row.id,
    keyHash: hash,
    kind: row.kind,
    tenant,
    scopes: new Set(row.kind === 'operator' ? ['operator'] : row.scopes),
    corsDomains: row.cors_domains ?? [],
    search: tenant && toSearchSettings(row),
  };
}
