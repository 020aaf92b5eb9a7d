import { setTimeout as delay } from 'node:timers/promises';
import type { Sequelize } from 'sequelize';
import { lockTimeoutMs } from '../../infrastructure/database/session.ts';
import { run } from '../../infrastructure/database/statement.ts';
import { markOf, type Vault } from '../../infrastructure/secrets/vault.ts';
import { forgetKeys, notedKeys } from './keyCheck.ts';
import { pagesOf, type SealedValues, sealedValues } from './sealedValues.ts';

/**
 * Seals what is stored with the key that seals now: page → values under other keys → written where they are still the same.
 * Running processes go on writing meanwhile; what they change is sealed with their key, and is looked at again. Whoever is
 * stopped in the midst leaves values of both keys, and the next goes on.
 */

/** What became of the values of one column. */
export interface Resealed {
  readonly kind: string;
  /** All that there are, once it was over. */
  readonly values: number;
  readonly resealed: number;
  /** Sealed with the key that seals now by others: before, or meanwhile. One that was sealed twice is counted as two of ours. */
  readonly kept: number;
  /** Keys of the rows whose values no key opens. */
  readonly unopened: readonly string[];
}

interface Look extends Pick<Resealed, 'resealed' | 'unopened'> {
  readonly values: number;
  /** How many of `unopened` have another mark than that of the key that seals. */
  readonly unopenedOthers: number;
}

/** Is told, page by page, how many values of a kind have been looked at. */
export type Watch = (kind: string, values: number) => Promise<void>;

/** Longer than any lock is held. */
const longestWaitMs = lockTimeoutMs + 2_000;
const pauseMs = 200;

const isCurrent = (sealed: string, vault: Vault) => sealed.startsWith(markOf(vault.keyId));

/** @returns what stands in its place, or null when no key opens it. */
function sealAnew(sealed: string, vault: Vault): string | null {
  try {
    const plain = vault.open(sealed);
    return isCurrent(sealed, vault) ? sealed : vault.seal(plain);
  } catch {
    return null;
  }
}

async function look(values: SealedValues, vault: Vault, sequelize: Sequelize, watch: Watch): Promise<Look> {
  const unopened: string[] = [];
  const counts = { values: 0, resealed: 0, unopenedOthers: 0 };
  for await (const page of pagesOf(values.all, sequelize)) {
    counts.values += page.length;
    const changes: { row: readonly string[]; before: string; after: string }[] = [];
    for (const { row, sealed } of page) {
      const after = sealAnew(sealed, vault);
      if (after === null) {
        unopened.push(row.join('/'));
        if (!isCurrent(sealed, vault)) counts.unopenedOthers += 1;
      } else if (after !== sealed) changes.push({ row, before: sealed, after });
    }
    if (changes.length > 0) {
      const written = await run(sequelize, values.replace, [
        changes.flatMap(({ row }) => row),
        changes.map(({ before }) => before),
        changes.map(({ after }) => after),
      ]);
      counts.resealed += written.length;
    }
    if (page.length > 0) await watch(values.kind, counts.values);
  }
  return { ...counts, unopened };
}

const countOthers = (values: SealedValues, vault: Vault, sequelize: Sequelize): Promise<number> =>
  values.countOthers(markOf(vault.keyId), sequelize);

async function reseal(
  values: SealedValues,
  vault: Vault,
  sequelize: Sequelize,
  watch: Watch,
): Promise<Resealed> {
  let latest = await look(values, vault, sequelize, watch);
  const deadlineMs = performance.now() + longestWaitMs;
  let { resealed } = latest;
  // What was locked, or was changed by a process that seals with another key.
  let left = (await countOthers(values, vault, sequelize)) - latest.unopenedOthers;
  while (left > 0 && performance.now() <= deadlineMs) {
    await delay(pauseMs);
    latest = await look(values, vault, sequelize, watch);
    resealed += latest.resealed;
    left = (await countOthers(values, vault, sequelize)) - latest.unopenedOthers;
  }
  const { unopened } = latest;
  // Of two that run at once, each finds what the other has sealed, and rows may go meanwhile.
  const kept = Math.max(0, latest.values - resealed - unopened.length - Math.max(0, left));
  return { kind: values.kind, values: latest.values, resealed, kept, unopened };
}

/** Seals one kind of values after the other, as each is asked for. */
export async function* resealAll(
  vault: Vault,
  sequelize: Sequelize,
  watch: Watch,
): AsyncGenerator<Resealed, void, undefined> {
  for (const values of sealedValues) yield await reseal(values, vault, sequelize, watch);
}

/** How many values of all kinds are sealed with another key than the one that seals. */
async function countFormer(vault: Vault, sequelize: Sequelize): Promise<number> {
  let others = 0;
  for (const values of sealedValues) others += await countOthers(values, vault, sequelize);
  return others;
}

/**
 * Where nothing is sealed with any other key any more, processes may start without.
 * @returns how many values are: then the keys stay in force.
 */
export async function forgetFormerKeys(vault: Vault, sequelize: Sequelize): Promise<number> {
  const formerIds = (await notedKeys(sequelize)).filter((id) => id !== vault.keyId);
  // Counted before as well: as long as it counts the second time, whoever still seals with one waits.
  let left = await countFormer(vault, sequelize);
  if (left > 0) return left;
  const isLeft = async () => {
    left = await countFormer(vault, sequelize);
    return left > 0;
  };
  await forgetKeys(formerIds, isLeft, sequelize);
  return left;
}
