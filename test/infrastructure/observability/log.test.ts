import { expect, it } from 'vitest';
import { createLog } from '../../../src/infrastructure/observability/log.ts';

/** What is written of an object. */
function written(logged: object): Record<string, unknown> {
  const lines: string[] = [];
  createLog('info', { write: (line: string) => void lines.push(line) }).error(logged, 'said');
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0]!);
}

const writtenOf = (members: object, message = 'broken') =>
  written({ err: Object.assign(new Error(message), members) }).err as Record<string, unknown>;

const name = 'Ana Souza';

it.each<[string, object]>([
  ['the parameters of a statement', { parameters: [name] }],
  ['what they are bound to', { bind: [name] }],
  ['a statement with texts in it', { sql: `SELECT '${name}'` }],
  ['a query with texts in it', { query: `SELECT '${name}'` }],
  ['the error of the driver, which has them too', { parent: { detail: name }, original: { detail: name } }],
  ['a row that breaks a CHECK', { detail: `Failing row contains (1, ${name}, null).` }],
  ['JSON that PostgreSQL cannot read', { where: `JSON data, line 1: {"name":"${name}"...` }],
  ['the parameters of a portal', { where: `unnamed portal with parameters: $1 = '${name}'` }],
  ['a parameter that cannot be bound', { where: `unnamed portal parameter $1 = '${name}'` }],
  ['one of a named portal', { where: `portal "p" parameter $2 = '${name}'` }],
  ['the arguments of a command to Redis', { command: { name: 'set', args: [name] } }],
  ['the request of an HTTP client', { config: { data: name }, response: { data: { name } } }],
  ['an object without a prototype', { headers: Object.assign(Object.create(null), { name }) }],
])('what is written of an error has nothing of %s', (_what, members) => {
  const shown = writtenOf({ code: '23514', ...members });
  expect(shown).toMatchObject({ message: 'broken', code: '23514', stack: expect.any(String) });
  expect(JSON.stringify(shown)).not.toContain('Souza');
});

it('what is written of an error has what PostgreSQL says of anything else, and the name of a command', () => {
  const said = { detail: 'Key (id)=(1) already exists.', where: 'PL/pgSQL function check_ledger() line 3' };
  expect(writtenOf({ ...said, command: { name: 'set', args: [name] } })).toMatchObject({
    ...said,
    command: 'set',
  });
});

it('the errors that one is made of are written like it, the first twenty of them', () => {
  const parts = Array.from({ length: 22 }, (_, index) =>
    Object.assign(new Error(`part ${index}`), { parameters: [name], config: { data: name } }),
  );
  const err = new AggregateError([{ name }, 'CPF 529.982.247-25', ...parts], 'broken');
  const shown = written({ err }).err as { aggregateErrors: { message?: string }[]; partsLeftOut: number };
  expect(shown.aggregateErrors).toHaveLength(19);
  expect(shown.aggregateErrors[0]).toBe('CPF [redacted]');
  expect(shown.aggregateErrors.at(-1)?.message).toBe('part 17');
  expect(shown.partsLeftOut).toBe(4);
  expect(JSON.stringify(shown)).not.toContain('Souza');
});

it.each([
  [
    'a key',
    'of sk_live_0123456789abcdef, twice sk_test_A',
    'of sk_live_[redacted], twice sk_test_[redacted]',
  ],
  ['a signing secret', 'whsec_c2VjcmV0+/=', 'whsec_[redacted]'],
  ['a key as URLs spell it', '/x/%73k%5Flive_abcd%2FSECRET%3d y', '/x/sk_live_[redacted] y'],
  ['a key in escapes that are none', 'sk_test_ab%2fSEC%ZZRET%252FSE%2', 'sk_test_[redacted]'],
  ['escapes with no key in them', 'task_%41%2F%', 'task_%41%2F%'],
  ['a CPF', '529.982.247-25 or 52998224725', '[redacted] or [redacted]'],
  ['digits that are no CPF', '529.982.247-26 or 152998224725', '529.982.247-26 or 152998224725'],
])('what is written of %s in a message or reason: %s', (_what, text, shown) => {
  expect(writtenOf({}, text).message).toBe(shown);
  expect(written({ reason: text })).toMatchObject({ reason: shown });
  expect(written({ err: text })).toMatchObject({ err: shown });
});

it('what is written of an error has a bounded length, whatever members and parts others gave it', () => {
  const text = 'x'.repeat(8_000);
  const members = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`member${index}`, text]));
  const shown = writtenOf({ ...members, ['k'.repeat(1_000_000)]: 1 });
  expect(shown).toMatchObject({ message: 'broken', member0: text, membersLeftOut: expect.any(Number) });
  expect(JSON.stringify(shown).length).toBeLessThan(410_000);

  const parts = () => Array.from({ length: 20 }, () => new Error('one'));
  const nested = Array.from({ length: 20 }, () => new AggregateError(parts(), 'some'));
  const { aggregateErrors } = written({ err: new AggregateError(nested, 'all') }).err as {
    aggregateErrors: object[];
  };
  expect(aggregateErrors).toHaveLength(20);
  for (const part of aggregateErrors)
    expect(part).toMatchObject({ message: expect.stringMatching(/^some/), partsLeftOut: 20 });
});

it('nothing that is written acts on a terminal, ends a line or turns it round, and all of it can be read', () => {
  const acting =
    'a\u007f\u0085\u009b31m\u009d0;\u2028\u2029\u061c\u200e\u200f\u202a\u202e\u2066\u2069é ü 日 😀';
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  log.error({ err: new Error(acting), reason: acting, [acting]: acting }, acting);
  expect(lines.join('')).not.toMatch(/[\x7f-\x9f\u2028\u2029\p{Bidi_Control}]/u);
  expect(lines.join('')).toContain('é ü 日 😀');
  const shown = { err: { message: acting }, reason: acting, [acting]: acting, msg: acting };
  expect(JSON.parse(lines.join(''))).toMatchObject(shown);
});

it('of a reason that is no text nothing is written', () => {
  expect(written({ reason: { traveller: name } })).not.toHaveProperty('reason');
});

it.each(['authorization', 'secret', 'apiKey', 'password', 'signingSecret', 'cookie', 'taxId'])(
  'a member called %s is blanked on the line, in a part of it and in a part of that',
  (member) => {
    const holding = { [member]: name };
    const line = written({ ...holding, part: { ...holding, within: holding } });
    const blanked = { [member]: '[redacted]' };
    expect(line).toMatchObject({ ...blanked, part: { ...blanked, within: blanked } });
  },
);
