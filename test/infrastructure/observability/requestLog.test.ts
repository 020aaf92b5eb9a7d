import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLog } from '../../../src/infrastructure/observability/log.ts';
import { requestLogOf } from '../../../src/infrastructure/observability/requestLog.ts';

/** A log at a level, and the lines that it has written, without their times. */
function written(level: string) {
  const lines: string[] = [];
  const write = (line: string) =>
    void lines.push(line.replace(/"time":"\d{4}-[\d-]+T[\d:.]+Z"/, '"time":""'));
  return { log: createLog(level, { write }), lines };
}

/** What is escaped in all that is written, though JSON leaves it, and their neighbours. */
const acting = fc.constantFrom(...'~\x7f\x80\x9b\x9f\xa0\u061c\u2028\u2029\u202e\u2069"\\\x1f');

const requests = fc.record({
  requestId: fc.stringMatching(/^[A-Za-z0-9._-]{8,64}$/),
  method: fc.constantFrom('GET', 'POST', 'M-SEARCH'),
  path: fc.oneof(fc.webPath(), fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ unit: acting })),
  route: fc.constantFrom('/graphql', '/wallet/recharge/:id', 'unmatched'),
  status: fc.option(fc.integer({ min: 100, max: 599 })),
  milliseconds: fc.nat({ max: 1e9 }).map((microseconds) => microseconds / 1e3),
});

it('the line of a request is what pino writes of it, to the letter', () => {
  fc.assert(
    fc.property(requests, fc.boolean(), fc.constantFrom('debug', 'info'), (request, aborted, level) => {
      const { log, lines } = written('debug');
      requestLogOf(log)(level, { ...request, aborted });
      log[level]({ ...request, ...(aborted ? { aborted } : {}) }, 'request');
      expect(lines).toHaveLength(2);
      expect(lines[0]).toBe(lines[1]);
      expect(JSON.parse(lines[0]!)).toMatchObject({ ...request, service: 'embarque', msg: 'request' });
    }),
  );
});

it.each([
  ['silent', []],
  ['warn', []],
  ['info', ['info']],
  ['debug', ['info', 'debug']],
])('a log at %s has requests of the levels %j', (level, expected) => {
  const { log, lines } = written(level);
  const write = requestLogOf(log);
  const request = { requestId: 'some-id-1', method: 'GET', path: '/', route: '/', status: 200 };
  for (const one of ['info', 'debug'] as const) write(one, { ...request, milliseconds: 1, aborted: false });
  const levels: Record<number, string> = { 20: 'debug', 30: 'info' };
  expect(lines.map((line) => levels[JSON.parse(line).level])).toEqual(expected);
});
