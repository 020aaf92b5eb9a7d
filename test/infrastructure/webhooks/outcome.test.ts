import { describe, expect, it } from 'vitest';
import { answerFailureOf, failureOf, isOwnShortage } from '../../../src/infrastructure/webhooks/outcome.ts';

const errorOf = (code: string, address?: string) =>
  Object.assign(new Error('secret text'), { code, address });
const together = (...errors: Error[]) =>
  Object.assign(new AggregateError(errors), { code: (errors[0] as { code?: string }).code });

describe('a socket’s error', () => {
  it.each([
    ['ECONNREFUSED', 'connection_refused'],
    ['ECONNRESET', 'connection_reset'],
    ['EPIPE', 'connection_reset'],
    ['ETIMEDOUT', 'timeout'],
    ['EHOSTUNREACH', 'unreachable'],
    ['ENETUNREACH', 'unreachable'],
    ['EPROTO', 'tls_handshake'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_handshake'],
    ['SOMETHING_NEW', 'unreachable'],
  ])('%s is an attempt that failed for the reason %s, without its text', (code, reason) => {
    const failure = failureOf(errorOf(code, '203.0.113.7'));
    expect(failure.reason).toBe(reason);
    expect(failure.message).not.toMatch(/secret|203/);
    expect(isOwnShortage(errorOf(code, '203.0.113.7'))).toBe(false);
  });

  it.each([
    ['ECONNRESET', 'connection_reset', 'the connection was reset'],
    ['EPROTO', 'protocol_error', 'TLS broke while waiting for the answer (EPROTO)'],
    [
      'ERR_SSL_WRONG_VERSION_NUMBER',
      'protocol_error',
      'TLS broke while waiting for the answer (ERR_SSL_WRONG_VERSION_NUMBER)',
    ],
    [
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      'tls_handshake',
      'no TLS connection could be agreed on (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)',
    ],
  ])('%s behind a request is the reason %s', (code, reason, message) => {
    expect(answerFailureOf(errorOf(code))).toMatchObject({ reason, message });
  });

  it.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])('%s is held against no receiver', (code) => {
    expect(isOwnShortage(errorOf(code))).toBe(true);
    expect(isOwnShortage(together(errorOf(code), errorOf('ECONNREFUSED')))).toBe(true);
  });

  it('of a machine that has no port left is held against no receiver, of one without IPv6 it is', () => {
    const [noPort, noIpv6] = [
      errorOf('EADDRNOTAVAIL', '203.0.113.7'),
      errorOf('EADDRNOTAVAIL', '2001:db8::7'),
    ];
    expect([noPort, noIpv6, errorOf('EADDRNOTAVAIL')].map(isOwnShortage)).toEqual([true, false, false]);
    expect(isOwnShortage(together(noIpv6, noPort))).toBe(true);
    expect(isOwnShortage(together(noIpv6, errorOf('ECONNREFUSED', '203.0.113.7')))).toBe(false);
  });
});
