import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readSettings, settingNames } from '../../src/config.ts';
import { deployment, encryptionKey } from './deployment.ts';

describe('Settings', () => {
  it('have defaults for a machine with nothing else on it', () => {
    expect(readSettings({})).toMatchObject({
      PORT: 4000,
      HOST: '127.0.0.1',
      DATA_DIR: './data',
      ROLES: ['api', 'worker'],
      PIX_VALIDITY: 30 * 60_000,
      IDEMPOTENCY_WINDOW: 24 * 3_600_000,
      RATE_LIMIT_WINDOW: 60_000,
      RATE_LIMIT_SEARCH: 60,
      RATE_LIMIT_BOOKINGS: 30,
      RATE_LIMIT_DEFAULT: 120,
      GRAPHQL_INTROSPECTION: true,
      SIMULATED_TICKETING_DELAY: 2_000,
      PAYMENT_PROVIDER: 'simulated',
      FLIGHT_SUPPLIERS: ['simulated'],
      EXCHANGE_RATES: 'table',
    });
    for (const name of ['PUBLIC_URL', 'DATABASE_URL', 'REDIS_URL'] as const) {
      expect(readSettings({})[name]).toBeUndefined();
    }
  });

  it('take an empty variable for one that is not set, and pass over those of others', () => {
    expect(readSettings({ PORT: '', REDIS_URL: '', HOME: '/root' })).toEqual(readSettings({}));
  });

  it.each([
    ['500ms', 500],
    ['2s', 2_000],
    ['30m', 1_800_000],
    ['24h', 86_400_000],
    ['3d', 259_200_000],
  ])('read %s as a duration', (text, milliseconds) => {
    expect(readSettings({ PIX_VALIDITY: text }).PIX_VALIDITY).toBe(milliseconds);
  });

  it.each([
    ['2s', 2_000],
    ['0s', 0],
  ])('let tickets be issued after %s', (text, milliseconds) => {
    const { SIMULATED_TICKETING_DELAY } = readSettings({ SIMULATED_TICKETING_DELAY: text });
    expect(SIMULATED_TICKETING_DELAY).toBe(milliseconds);
  });

  it.each([
    ['PUBLIC_URL', 'https://example.com/travel/'],
    ['SMTP_URL', 'smtps://someone:a%20word@mail.example.com:465/?pool=true'],
    ['PUBLIC_URL', 'https://example.com/@travel'],
    ['REDIS_URL', 'redis://:word@[::1]:6379/3'],
    ['REDIS_URL', 'rediss://cache.example.com/3/'],
    ['REDIS_URL', 'redis://cache.example.com/'],
    ['DATABASE_URL', 'postgresql:///embarque?host=/var/run/postgresql'],
    ['DATABASE_URL', 'postgresql://someone:word@/embarque?host=/var/run/postgresql&port=5433'],
    ['DATABASE_URL', 'postgres://someone:word@db:5432/embarque?sslmode=require'],
    ['DATABASE_URL', 'postgres://db/embarque?options=-c search_path%3Dtravel'],
  ] as const)('take as %s: %s', (name, url) => {
    expect(readSettings({ ...deployment, [name]: url })[name]).toBe(url);
  });

  it.each<[Record<string, string>, Record<string, unknown>]>([
    [{ PORT: '65535' }, { PORT: 65_535 }],
    [{ PUBLIC_URL: ' https://example.com\n' }, { PUBLIC_URL: 'https://example.com' }],
    [{ PIX_VALIDITY: ' 3650d ' }, { PIX_VALIDITY: 3_650 * 86_400_000 }],
    [{ WEBHOOK_RETRY_DELAYS: '0s, 3650d' }, { WEBHOOK_RETRY_DELAYS: [0, 3_650 * 86_400_000] }],
    [{ EXCHANGE_RATE_SPREAD: '99.9999' }, { EXCHANGE_RATE_SPREAD: '99.9999' }],
    // Asked twice, it would be in each answer twice.
    [{ FLIGHT_SUPPLIERS: 'simulated, simulated' }, { FLIGHT_SUPPLIERS: ['simulated'] }],
  ])('take what is just within bounds: %j', (settings, values) => {
    expect(readSettings(settings)).toMatchObject(values);
  });

  it('take every name of a deployment', () => {
    expect(readSettings({ ...deployment, ROLES: ' worker ', REDIS_URL: 'rediss://r' })).toMatchObject({
      ENCRYPTION_KEY: encryptionKey,
      ROLES: ['worker'],
    });
  });

  it.each(['base64', 'base64url', 'hex'] as const)('take an encryption key in %s', (encoding) => {
    const bytes = Buffer.alloc(32, 0xfb);
    const settings = readSettings({ ...deployment, ENCRYPTION_KEY: bytes.toString(encoding) });
    expect(settings.ENCRYPTION_KEY).toBe(bytes.toString('hex'));
  });

  it('take former encryption keys in a list', () => {
    const [one, two] = [Buffer.alloc(32, 0xfb), Buffer.alloc(32, 1)];
    const listed = `${one.toString('base64')}, ${two.toString('hex')}`;
    expect(readSettings({ ...deployment, ENCRYPTION_KEY_PREVIOUS: listed }).ENCRYPTION_KEY_PREVIOUS).toEqual([
      one.toString('hex'),
      two.toString('hex'),
    ]);
  });

  it('stand in README, all of them and no others, each with its default', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const [, section = ''] = readme.split('## Settings\n');
    const rows = [...section.matchAll(/^\| ([A-Z][A-Z_, ]+) \| ([^|]+) \|/gm)].map(
      ([, names = '', defaults = '']) => ({ names: names.split(', '), defaults }),
    );
    expect(rows.flatMap(({ names }) => names).sort()).toEqual([...settingNames].sort());
    const usual = readSettings({});
    for (const { names, defaults } of rows) {
      // A list of values has one for each; any other text is of the one name, or of all.
      const texts = defaults.split(', ');
      for (const [index, name] of names.entries()) {
        const text = texts.length === names.length ? texts[index] : defaults;
        const isValue = usual[name as keyof typeof usual] !== undefined;
        if (isValue) expect([name, readSettings({ [name]: text })]).toEqual([name, usual]);
        else
          expect([name, text]).toEqual([
            name,
            expect.stringMatching(/none|random|made and kept|http:|rates of/),
          ]);
      }
    }
  });

  it('of compose.yaml have the proxy keep no log of query strings, in which links show their right', async () => {
    const compose = await readFile(new URL('../../compose.yaml', import.meta.url), 'utf8');
    const [, proxy = ''] = /\n {6}server \{\n(.*?)\n {8}location/s.exec(compose) ?? [];
    expect(proxy).toMatch(/^ +access_log off;$/m);
    // The only level at which nginx quotes no request.
    expect(proxy).toMatch(/^ +error_log stderr emerg;$/m);
  });

  it('of compose.yaml are settings', async () => {
    const compose = await readFile(new URL('../../compose.yaml', import.meta.url), 'utf8');
    const [, shared = ''] = /environment: &settings\n((?: {4}\w+: .*\n)+)/.exec(compose) ?? [];
    const names = [...shared.matchAll(/^ {4}(\w+):/gm)].map(([, name]) => name as string);
    expect(names).toContain('DATABASE_URL');
    expect(names.filter((name) => !(settingNames as readonly string[]).includes(name))).toEqual([]);
    // Without it, no other flight supplier could be named.
    expect(names).toContain('EXCHANGE_RATE_TABLE');
  });
});
