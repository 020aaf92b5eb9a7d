import { randomBytes } from 'node:crypto';
import type { Sequelize } from 'sequelize';
import { plainArray } from '../../infrastructure/database/arrayValues.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { keptOfObject } from '../../infrastructure/keptEntry.ts';
import { ReferenceStock } from './referenceStock.ts';

const findTaken = statement<{ booking_reference: string }>(
  'find_taken_booking_references',
  'SELECT booking_reference FROM bookings WHERE booking_reference = ANY ($1::text[])',
);

/** References that a process draws at once; those that it does not give out before it ends are lost. */
const drawnAtOnce = 64;

/** Letters and digits that are not mistaken for each other. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const length = 6;
const bitsOfCharacter = 5;
const bytesOfNumber = 4;

const stocks = new WeakMap<Sequelize, ReferenceStock>();

/**
 * A new six-character booking reference (locator). It is drawn from 32^6 = 2^30: whoever has some can tell neither how many
 * bookings all agencies have made in between, nor which references others have; and a database that is restored, or taken
 * over by a server that had not heard of the last bookings, does not give out anew what agencies and suppliers have from
 * before. One that was drawn twice at the same moment is refused by the index of the second booking.
 */
export function newReference(sequelize: Sequelize): Promise<string> {
  const draw = () => freeOf(Array.from({ length: drawnAtOnce }, drawnReference), sequelize);
  return keptOfObject(stocks, sequelize, () => new ReferenceStock(drawnAtOnce / 2, draw)).next();
}

function drawnReference(): string {
  const number = randomBytes(bytesOfNumber).readUInt32BE();
  return Array.from({ length }, (_, place) => alphabet[(number >>> (place * bitsOfCharacter)) & 31]).join('');
}

/** Those that no booking has. */
export async function freeOf(references: readonly string[], sequelize: Sequelize): Promise<string[]> {
  const found = await run(sequelize, findTaken, [plainArray(references)]);
  const taken = new Set(found.map((booking) => booking.booking_reference));
  return references.filter((reference) => !taken.has(reference));
}
