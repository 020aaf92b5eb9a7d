import type { Sequelize } from 'sequelize';
import { run, statement } from '../../infrastructure/database/statement.ts';

const takeBlock = statement<{ block: string }>(
  'take_booking_references',
  "SELECT nextval('booking_reference_blocks') AS block",
);

/** References that a process takes at once; those that it does not give out before it ends are lost. */
const blockSize = 64;

/** Letters and digits that are not mistaken for each other. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const length = 6;
const bitsOfCharacter = 5;

/**
 * The reference of a number from 0 to 2^30 - 1. There are 32^6 = 2^30 references, and multiplying by an odd number modulo
 * 2^30 meets each of them once: they look random, and none has to be looked up before it is given out.
 */
export function referenceOf(number: number): string {
  const scrambled = (Math.imul(number, 662_607_015) + 299_792_458) >>> 0;
  return Array.from({ length }, (_, place) => alphabet[(scrambled >>> (place * bitsOfCharacter)) & 31]).join(
    '',
  );
}

interface Block {
  next: number;
  end: number;
}

const blocks = new WeakMap<Sequelize, Promise<Block>>();

/** A new six-character booking reference (locator), different from all others of this database. */
export async function newReference(sequelize: Sequelize): Promise<string> {
  for (;;) {
    const taking = blocks.get(sequelize) ?? nextBlock(sequelize);
    const block = await taking;
    if (block.next < block.end) return referenceOf(block.next++);
    if (blocks.get(sequelize) === taking) blocks.delete(sequelize);
  }
}

/** Gives out none that are left of the block in use: another process has it as well. */
export function dropReferences(sequelize: Sequelize): void {
  blocks.delete(sequelize);
}

function nextBlock(sequelize: Sequelize): Promise<Block> {
  const taking = run(sequelize, takeBlock, []).then(([row]) => {
    const start = (Number(row?.block) - 1) * blockSize;
    return { next: start, end: start + blockSize };
  });
  blocks.set(sequelize, taking);
  // A block that could not be taken is asked for again.
  taking.catch(() => blocks.delete(sequelize));
  return taking;
}
