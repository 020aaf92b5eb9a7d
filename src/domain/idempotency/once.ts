import { createHash } from 'node:crypto';
import stringify from 'safe-stable-stringify';
import type { ErrorCode, ErrorDetails, ErrorKind, FieldFault } from '../../errors.ts';
import { AppError } from '../../errors.ts';
import { sqlStateOf, waitedFor } from '../../infrastructure/database/sqlState.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { inTransaction } from '../../infrastructure/database/transaction.ts';
import { forgetOlder, forgetStatement } from '../forgetting.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import { inTurnOfWallet } from '../wallet/turns.ts';
import type { IdempotencyRow } from './keySql.ts';
import { keyTakenCode, keyValues, storeKeysSql } from './keySql.ts';
import { keyInProgress, keyReused } from './refusals.ts';

/**
 * Creation operations that happen once for each Idempotency-Key (SPEC Limits, DESIGN §4).
 *
 * The effect comes first and the key's row second, in one transaction. A second request with the key waits at the
 * unique index for the first one's commit, then finds its row, undoes its own effect and answers as the first did. So
 * effect, events and stored answer are there together or not at all, whatever dies when. A creation whose answer is
 * known before it is written does all of it in one statement (`keyCtes`), without a transaction around it.
 */

export interface CreationRequest {
  /** The header's value, which has no faults (`idempotencyKeyFaults`); null when the client sent none. */
  key: string | null;
  /** Name of the operation: the same at both doors. */
  operation: string;
  /** What was asked for: the same request has the same canonical JSON. */
  input: unknown;
  /** Request or answer have what is stored nowhere but sealed, so both are kept sealed. */
  secret: boolean;
}

export interface Creation<T> {
  value: T;
  replayed: boolean;
}

/** Writes in the transaction that it is run in. Its answer is plain JSON. */
export type WriteCreation<T> = () => Promise<T>;

/** A creation whose answer, plain JSON, is known beforehand. */
export interface KnownCreation<T> {
  readonly answer: T;
  /** Writes effect and key in one statement that has `keyCtes`, with `keyValues(key)`. */
  post(key: IdempotencyRow | null): Promise<void>;
}

/** A creation that changes a wallet, which is to have its turn before there is a transaction. */
export interface WalletCreation<T> {
  readonly walletId: number;
  readonly write: WriteCreation<T>;
}

export type PreparedCreation<T> = WriteCreation<T> | WalletCreation<T> | KnownCreation<T>;

/** Does what may wait for the network, and returns what writes. */
export type PrepareCreation<T> = () => Promise<PreparedCreation<T>>;

/**
 * A creation met what others had written since it was prepared, and nothing of it was written: prepared anew, it will not.
 */
export class PreparedInVain extends Error {}

/** How often one is prepared. A second time suffices, unless others do the same at that moment. */
const mostAttempts = 4;

type Outcome =
  | { value: unknown }
  | { error: { code: ErrorCode; kind: ErrorKind | undefined; message: string; details: ErrorDetails } };

/**
 * The fingerprint of a secret request, in base64, is sealed with its outcome: of a guess at what was asked for, the bare
 * hash would tell whether it is right.
 */
type StoredOutcome = Outcome & { fingerprint?: string };

interface StoredRow {
  /** Empty where it is sealed with the outcome. */
  fingerprint: Buffer;
  outcome: string;
}

const findOutcome = statement<StoredRow>(
  'find_idempotent_outcome',
  'SELECT fingerprint, outcome FROM idempotency_keys WHERE scope = $1 AND key = $2 AND created_at > $3',
);

/** Writes the row, or replaces one that is past the window; no row comes back when another request holds the key. */
const storeOutcome = statement<{ key: string }>(
  'store_idempotent_outcome',
  `${storeKeysSql('VALUES ($1, $2, $3, $4, $5)', '$6')} RETURNING key`,
);

const forgetOutcomes = forgetStatement('forget_idempotent_outcomes', 'idempotency_keys', 'created_at');

const keyPattern = /^[\x20-\x7e]{1,255}$/;

/** What is wrong with a key, unless it is 1 to 255 printable characters; nothing with none. */
export const idempotencyKeyFaults = (key: string | null): FieldFault[] =>
  key === null || keyPattern.test(key) ? [] : [{ field: 'Idempotency-Key', type: 'invalid' }];

/** Another request took the key while this one worked. */
class KeyTaken extends Error {}

function scopeOf(tenant: Tenant | null): string {
  return tenant ? `${tenant.teamId}/${tenant.mode}` : 'operator';
}

function fingerprintOf(request: CreationRequest): Buffer {
  return createHash('sha256')
    .update(request.operation)
    .update('\n')
    .update(stringify(request.input) ?? '')
    .digest();
}

/** Refusals that depend on the state of things are part of the first answer; the others are not kept. */
function isKept(error: unknown): error is AppError {
  return error instanceof AppError && (error.kind === 'conflict' || error.kind === 'unprocessable');
}

/**
 * Runs a creation, or repeats the answer of the first request with the same key.
 * @throws AppError 422 when the key was used for another request, Busy when the first one is still working after ten
 *   seconds; otherwise what the creation throws or threw.
 */
export async function createOnce<T>(
  tenant: Tenant | null,
  request: CreationRequest,
  prepare: PrepareCreation<T>,
  platform: Platform,
): Promise<Creation<T>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryToCreate(tenant, request, prepare, platform);
    } catch (error) {
      if (!(error instanceof PreparedInVain) || attempt === mostAttempts) throw error;
    }
  }
}

async function tryToCreate<T>(
  tenant: Tenant | null,
  request: CreationRequest,
  prepare: PrepareCreation<T>,
  platform: Platform,
): Promise<Creation<T>> {
  if (request.key === null) {
    const creation = await prepare();
    if ('post' in creation) {
      await creation.post(null);
      return { value: creation.answer, replayed: false };
    }
    return { value: await inOwnTransaction(creation, (write) => write(), platform), replayed: false };
  }
  const keyed = { ...request, key: request.key, scope: scopeOf(tenant), fingerprint: fingerprintOf(request) };
  const earlier = await replay<T>(keyed, platform);
  if (earlier) return earlier;
  try {
    return await createAndStore(keyed, prepare, platform);
  } catch (error) {
    if (isKeyTaken(error)) {
      const first = await replay<T>(keyed, platform);
      if (first) return first;
    }
    if (waitedFor('idempotency_keys', error)) throw keyInProgress();
    throw error;
  }
}

type KeyedRequest = CreationRequest & { key: string; scope: string; fingerprint: Buffer };

async function createAndStore<T>(
  request: KeyedRequest,
  prepare: PrepareCreation<T>,
  platform: Platform,
): Promise<Creation<T>> {
  try {
    const creation = await prepare();
    if ('post' in creation) {
      await creation.post(keyRowOf(request, { value: creation.answer }, platform));
      return { value: creation.answer, replayed: false };
    }
    return await inOwnTransaction(
      creation,
      async (write) => {
        const value = await write();
        await store(request, { value }, platform);
        return { value, replayed: false };
      },
      platform,
    );
  } catch (error) {
    if (isKept(error)) {
      const { code, kind, message, details } = error;
      await store(request, { error: { code, kind, message, details } }, platform);
    }
    throw error;
  }
}

/** Hands `work` what writes a creation, in a transaction. */
function inOwnTransaction<T, R>(
  creation: WriteCreation<T> | WalletCreation<T>,
  work: (write: WriteCreation<T>) => Promise<R>,
  platform: Platform,
): Promise<R> {
  const { sequelize } = platform;
  if (typeof creation === 'function') return inTransaction(sequelize, () => work(creation));
  const { walletId, write } = creation;
  return inTurnOfWallet(walletId, platform, () => inTransaction(sequelize, () => work(write)));
}

const nothing = Buffer.alloc(0);

function keyRowOf(
  request: KeyedRequest,
  outcome: Outcome,
  { vault, clock, settings }: Platform,
): IdempotencyRow {
  const { scope, key, fingerprint } = request;
  const createdAt = clock.now();
  const oldest = new Date(createdAt.getTime() - settings.IDEMPOTENCY_WINDOW);
  if (!request.secret)
    return { scope, key, fingerprint, outcome: JSON.stringify(outcome), createdAt, oldest };
  const stored: StoredOutcome = { ...outcome, fingerprint: fingerprint.toString('base64') };
  const sealed = vault.seal(JSON.stringify(stored));
  return { scope, key, fingerprint: nothing, outcome: sealed, createdAt, oldest };
}

async function store(request: KeyedRequest, outcome: Outcome, platform: Platform): Promise<void> {
  const row = keyRowOf(request, outcome, platform);
  const rows = await run(platform.sequelize, storeOutcome, keyValues(row));
  if (rows.length === 0) throw new KeyTaken();
}

async function replay<T>(request: KeyedRequest, platform: Platform): Promise<Creation<T> | null> {
  const oldest = new Date(platform.clock.now().getTime() - platform.settings.IDEMPOTENCY_WINDOW);
  const [row] = await run(platform.sequelize, findOutcome, [request.scope, request.key, oldest]);
  if (!row) return null;
  const isElsewhere = row.fingerprint.length === 0;
  if (!isElsewhere && !row.fingerprint.equals(request.fingerprint)) throw keyReused();
  // One that is not sealed is an object's JSON, whichever of the two another build makes of this operation's.
  const isSealed = !row.outcome.startsWith('{');
  const outcome = JSON.parse(isSealed ? platform.vault.open(row.outcome) : row.outcome) as StoredOutcome;
  if (isElsewhere && outcome.fingerprint !== request.fingerprint.toString('base64')) throw keyReused();
  if ('error' in outcome) {
    const { code, message, ...options } = outcome.error;
    throw new ReplayedError(code, message, options);
  }
  return { value: outcome.value as T, replayed: true };
}

/** The first answer was this refusal. */
export class ReplayedError extends AppError {}

/** Whether a creation was undone because another request has taken its key. */
export const isKeyTaken = (error: unknown): boolean =>
  error instanceof KeyTaken || sqlStateOf(error) === keyTakenCode;

/** Deletes answers that are past the window. */
export const forgetOldKeys = (platform: Platform, stopping: AbortSignal): Promise<void> =>
  forgetOlder(forgetOutcomes, platform.settings.IDEMPOTENCY_WINDOW, platform, stopping);
