import { pino } from 'pino';
import { expect, it } from 'vitest';
import { databaseOutage } from '../../../src/infrastructure/database/databaseOutage.ts';

/** What is said of new connections that fail with a code of PostgreSQL or of the system. */
const saidOf = (code: string) => saidOfError(Object.assign(new Error(code), { code }));

function saidOfError(error: Error): string[] {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  databaseOutage(log).begin(error);
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

const withoutTls =
  'database has no TLS, or no certificate that is trusted, at the address of DATABASE_URL: what needs a new connection fails';

it.each([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'INVALID_PURPOSE',
  'HOSTNAME_MISMATCH',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'EPROTO',
])('a server whose TLS or certificate will not do (%s) is told as a refusal', (code) => {
  expect(saidOf(code)).toEqual([withoutTls]);
});

it('a server that has no TLS is told as a refusal', () => {
  expect(saidOfError(new Error('The server does not support SSL connections'))).toEqual([withoutTls]);
});

it.each(['ECONNREFUSED', '57P03'])(
  'a server that cannot be asked (%s) is told as one that is away',
  (code) => {
    expect(saidOf(code)).toEqual(['database unavailable: what needs a new connection fails']);
  },
);
