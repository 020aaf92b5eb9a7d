import { systemClock } from '../../infrastructure/clock.ts';
import { askWithin } from '../../infrastructure/cutOff.ts';
import type { Statement } from '../../infrastructure/database/statement.ts';
import { run } from '../../infrastructure/database/statement.ts';
import type { Platform } from '../platform.ts';

/**
 * Longest that others wait for a read, a little more than one may wait for a lock: where new connections fall silent
 * like those before it may take a minute, and all that a stream or a key has to be told waits with it.
 */
const longestMs = 12_000;

/** Reads what others wait for in turn. @throws TimedOut when it takes longer than they should wait. */
export const readPatiently = <Row>(
  { sequelize }: Pick<Platform, 'sequelize'>,
  statement: Statement<Row>,
  values: unknown[],
): Promise<Row[]> => askWithin(limits(statement.name), () => run(sequelize, statement, values));

/** By the machine's clock: it is the machine that waits. */
const limits = (asked: string) => ({ asked, timeoutMs: longestMs, clock: systemClock });
