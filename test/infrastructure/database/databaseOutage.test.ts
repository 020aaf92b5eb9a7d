import { pino } from 'pino';
import { expect, it } from 'vitest';
import { databaseOutage } from '../../../src/infrastructure/database/databaseOutage.ts';

/** What is said of new connections that fail with a code of PostgreSQL or of the system. */
function saidOf(code: string): string[] {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  databaseOutage(log).begin(Object.assign(new Error(code), { code }));
  return lines;
}

it.each([
  ['a user who may not log in', '28000'],
  ['another password', '28P01'],
  ['a right to enter that was taken away', '42501'],
])('%s is told as a refusal', (_, code) => {
  expect(saidOf(code)).toEqual([
    'database refuses the user or password of DATABASE_URL: what needs a new connection fails',
  ]);
});

it.each(['ECONNREFUSED', '57P03'])(
  'a server that cannot be asked (%s) is told as one that is away',
  (code) => {
    expect(saidOf(code)).toEqual(['database unavailable: what needs a new connection fails']);
  },
);
