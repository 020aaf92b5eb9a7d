import type { Sequelize } from 'sequelize';
import { plainArray } from '../../infrastructure/database/arrayValues.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { permute, permutedNumbers } from '../../infrastructure/identifiers/keyedPermutation.ts';

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

/** References that are left of a block. */
type Block = string[];

const blocks = new WeakMap<Sequelize, Promise<Block>>();

/** A new six-character booking reference (locator), different from all others of this database. */
export async function newReference(sequelize: Sequelize): Promise<string> {
  for (;;) {
    const taking = blocks.get(sequelize) ?? nextBlock(sequelize);
    const reference = (await taking).pop();
    if (reference !== undefined) return reference;
    if (blocks.get(sequelize) === taking) blocks.delete(sequelize);
  }
}

/** Gives out none that are left of the block in use: another process has it as well. */
export function dropReferences(sequelize: Sequelize): void {
  blocks.delete(sequelize);
}

function nextBlock(sequelize: Sequelize): Promise<Block> {
  const taking = freeOfNextBlock(sequelize);
  blocks.set(sequelize, taking);
  // A block that could not be taken is asked for again.
  taking.catch(() => blocks.delete(sequelize));
  return taking;
}

/**
 * Some of a block may be taken: by builds that gave them out in another order, or by a block that a server which took over
 * from one that died had not heard of, and gives out once more.
 */
async function freeOfNextBlock(sequelize: Sequelize): Promise<Block> {
  const [row] = await run(sequelize, takeBlock, []);
  if (!row) throw new Error('booking_reference_key has no row: restore it');
  const references = referencesOf(Number(row.block), row.key);
  const found = await run(sequelize, findTaken, [plainArray(references)]);
  const taken = new Set(found.map((booking) => booking.booking_reference));
  return references.filter((reference) => !taken.has(reference));
}
