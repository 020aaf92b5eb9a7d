import type { Sequelize } from 'sequelize';
import { plainArray } from '../../infrastructure/database/arrayValues.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { permute, permutedNumbers } from '../../infrastructure/identifiers/keyedPermutation.ts';
import { keptOfObject } from '../../infrastructure/keptEntry.ts';

const takeBlock = statement<{ block: string; key: Buffer }>(
  'take_booking_references',
  "SELECT nextval('booking_reference_blocks') AS block, key FROM booking_reference_key",
);

const findTaken = statement<{ booking_reference: string }>(
  'find_taken_booking_references',
  'SELECT booking_reference FROM bookings WHERE booking_reference = ANY ($1::text[])',
);

/** References that a process takes at once; those that it does not give out before it ends are lost. */
const blockSize = 64;

/** Letters and digits that are not mistaken for each other. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const length = 6;
const bitsOfCharacter = 5;

/**
 * The references of a block, of which 1 is the first. There are 32^6 = 2^30, each met once: they are counted through in
 * an order that the database's key decides. Who has some of them can tell neither how many bookings all agencies have made
 * in between, nor which references others have.
 */
export function referencesOf(block: number, key: Buffer): string[] {
  const first = (block - 1) * blockSize;
  const numbers = Array.from({ length: blockSize }, (_, place) => (first + place) % permutedNumbers);
  return permute(numbers, key).map((number) =>
    Array.from({ length }, (_, place) => alphabet[(number >>> (place * bitsOfCharacter)) & 31]).join(''),
  );
}

/** What this process has to give out, the next one last. */
interface Stock {
  references: string[];
  /** Another block is on its way. */
  coming: Promise<void> | null;
}

/** As many are left when the next block is asked for: those that come meanwhile need not wait for it. */
const fewReferences = blockSize / 2;

const stocks = new WeakMap<Sequelize, Stock>();

/** A new six-character booking reference (locator), different from all others of this database. */
export async function newReference(sequelize: Sequelize): Promise<string> {
  for (;;) {
    const stock = keptOfObject(stocks, sequelize, (): Stock => ({ references: [], coming: null }));
    if (stock.references.length <= fewReferences) stock.coming ??= addBlock(stock, sequelize);
    const reference = stock.references.pop();
    if (reference !== undefined) return reference;
    await stock.coming;
  }
}

/** Gives out none of those that are left: another process has them as well. */
export function dropReferences(sequelize: Sequelize): void {
  stocks.delete(sequelize);
}

function addBlock(stock: Stock, sequelize: Sequelize): Promise<void> {
  const adding = freeOfNextBlock(sequelize)
    .then((references) => {
      stock.references = [...references, ...stock.references];
    })
    .finally(() => {
      stock.coming = null;
    });
  // Who waits for it hears of a failure; one that nobody waits for is asked for again with the next reference.
  adding.catch(() => undefined);
  return adding;
}

/**
 * Some of a block may be taken: by builds that gave them out in another order, or by a block that a server which took over
 * from one that died had not heard of, and gives out once more.
 */
async function freeOfNextBlock(sequelize: Sequelize): Promise<string[]> {
  const [row] = await run(sequelize, takeBlock, []);
  if (!row) throw new Error('booking_reference_key has no row: restore it');
  const references = referencesOf(Number(row.block), row.key);
  const found = await run(sequelize, findTaken, [plainArray(references)]);
  const taken = new Set(found.map((booking) => booking.booking_reference));
  return references.filter((reference) => !taken.has(reference));
}
