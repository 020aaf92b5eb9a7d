import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readSettings, readVaultSettings, SettingsError, settingNames } from '../../src/config.ts';
import { exchangeRateAdapterNames } from '../../src/infrastructure/exchangeRates/registry.ts';
import { paymentProviderNames } from '../../src/infrastructure/payments/registry.ts';
import { misspeltSettings } from '../../src/misspeltSettings.ts';

const anyOf = (names: readonly string[]) => new Intl.ListFormat('en', { type: 'disjunction' }).format(names);

const encryptionKey = 'ab'.repeat(32);

const deployment = {
  DATABASE_URL: 'postgres://db.example.com/embarque',
  PAYMENT_PROVIDER: 'simulated',
  FLIGHT_SUPPLIERS: 'simulated',
  EXCHANGE_RATES: 'table',
  ENCRYPTION_KEY: encryptionKey,
};

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
    ['RATE_LIMIT_SERACH', 'RATE_LIMIT_SEARCH'],
    ['ENCRYPTION_KEYS_PREVIOUS', 'ENCRYPTION_KEY_PREVIOUS'],
    ['WEBHOOK_RETRY_DELAY', 'WEBHOOK_RETRY_DELAYS'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['redis_url', 'REDIS_URL'],
  ])('seem meant by %s: %s', (variable, setting) => {
    expect(misspeltSettings({ [variable]: '1', PORT: '80' })).toEqual([{ variable, setting }]);
    expect(misspeltSettings({ [variable]: '', PORT: '80' })).toEqual([]);
    expect(misspeltSettings({ [variable]: '1', [setting]: '1' })).toEqual([]);
  });

  it('are not seen in what environments hold besides, nor in each other', () => {
    const others =
      'HOME HOST PORTS POST USER PATH NODE_ENV LOGNAME HTTP_PROXY HTTP_URL FTP_URL PGDATA REDIS_HOST';
    for (const name of [...others.split(' '), ...settingNames])
      expect(misspeltSettings({ [name]: '1' }), name).toEqual([]);
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

  it.each<[Record<string, string>, string]>([
    [{ PORT: 'http' }, 'PORT'],
    [{ PORT: '65536' }, 'PORT'],
    [{ PORT: '-1' }, 'PORT'],
    [{ PORT: '80.5' }, 'PORT'],
    [{ PUBLIC_URL: 'example.com' }, 'PUBLIC_URL'],
    [{ DATABASE_URL: 'mysql://db' }, 'DATABASE_URL'],
    [{ REDIS_URL: 'localhost:6379' }, 'REDIS_URL'],
    [{ DATABASE_POOL_SIZE: '0' }, 'DATABASE_POOL_SIZE'],
    [{ DATABASE_POOL_TIMEOUT: '0s' }, 'DATABASE_POOL_TIMEOUT'],
    [{ ROLES: 'web' }, 'ROLES'],
    [{ ROLES: 'api,' }, 'ROLES'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    [{ METRICS_KEY: 'fifteen-letters' }, 'METRICS_KEY'],
    [{ METRICS_KEY: 'sixteen letters!' }, 'METRICS_KEY'],
    [{ BOOTSTRAP_LIVE_KEY: 'sk_test_0123456789' }, 'BOOTSTRAP_LIVE_KEY'],
    [{ BOOTSTRAP_TEST_KEY: 'sk_test_short' }, 'BOOTSTRAP_TEST_KEY'],
    [{ BOOTSTRAP_ADMIN_KEY: 'sk_admin_with a space' }, 'BOOTSTRAP_ADMIN_KEY'],
    [{ PIX_VALIDITY: '30' }, 'PIX_VALIDITY'],
    [{ PIX_VALIDITY: '-30m' }, 'PIX_VALIDITY'],
    [{ IDEMPOTENCY_WINDOW: '1.5h' }, 'IDEMPOTENCY_WINDOW'],
    [{ RATE_LIMIT_WINDOW: 'one minute' }, 'RATE_LIMIT_WINDOW'],
    [{ RATE_LIMIT_WINDOW: '0s' }, 'RATE_LIMIT_WINDOW'],
    [{ SWEEP_INTERVAL: '0ms' }, 'SWEEP_INTERVAL'],
    [{ SIMULATED_TICKETING_DELAY: 'at once' }, 'SIMULATED_TICKETING_DELAY'],
    [{ RATE_LIMIT_SEARCH: '0' }, 'RATE_LIMIT_SEARCH'],
    [{ RATE_LIMIT_DEFAULT: 'unlimited' }, 'RATE_LIMIT_DEFAULT'],
    [{ GRAPHQL_INTROSPECTION: 'no' }, 'GRAPHQL_INTROSPECTION'],
    [{ TRUST_PROXY: '1' }, 'TRUST_PROXY'],
    [{ PAYMENT_PROVIDER: 'nobody' }, 'PAYMENT_PROVIDER'],
    [{ FLIGHT_SUPPLIERS: 'simulated,nobody' }, 'FLIGHT_SUPPLIERS'],
    [{ EXCHANGE_RATES: 'guess' }, 'EXCHANGE_RATES'],
    [{ EXCHANGE_RATE_SPREAD: '-1' }, 'EXCHANGE_RATE_SPREAD'],
    [{ EXCHANGE_RATE_SPREAD: '100' }, 'EXCHANGE_RATE_SPREAD'],
    [{ EXCHANGE_RATE_SPREAD: '4%' }, 'EXCHANGE_RATE_SPREAD'],
    [{ EXCHANGE_RATE_SPREAD: '4,5' }, 'EXCHANGE_RATE_SPREAD'],
    [{ PTAX_URL: 'olinda.bcb.gov.br' }, 'PTAX_URL'],
    [{ PTAX_URL: 'https://olinda.bcb.gov.br/odata?$format=json' }, 'PTAX_URL'],
    [{ PTAX_URL: 'https://olinda.bcb.gov.br/odata#rates' }, 'PTAX_URL'],
    [{ PUBLIC_URL: 'https://example.com/#travel' }, 'PUBLIC_URL'],
    [{ SMTP_URL: 'mail.example.com' }, 'SMTP_URL'],
    [{ ENCRYPTION_KEY: 'ab'.repeat(31) }, 'ENCRYPTION_KEY'],
    [{ ENCRYPTION_KEY: 'zz'.repeat(32) }, 'ENCRYPTION_KEY'],
    [{ ENCRYPTION_KEY: Buffer.alloc(31).toString('base64') }, 'ENCRYPTION_KEY'],
    [{ ENCRYPTION_KEY: Buffer.alloc(33).toString('base64') }, 'ENCRYPTION_KEY'],
    [{ ENCRYPTION_KEY: 'a passphrase of three and forty characters.' }, 'ENCRYPTION_KEY'],
    [{ ENCRYPTION_KEY_PREVIOUS: 'ab'.repeat(31) }, 'ENCRYPTION_KEY_PREVIOUS'],
    [{ ENCRYPTION_KEY_PREVIOUS: `${encryptionKey},` }, 'ENCRYPTION_KEY_PREVIOUS'],
    ...(['PAYMENT_PROVIDER', 'FLIGHT_SUPPLIERS', 'EXCHANGE_RATES', 'ENCRYPTION_KEY'] as const).map(
      (name): [Record<string, string>, string] => [{ ...deployment, [name]: '' }, name],
    ),
  ])('are refused in one line when they are %j', (settings, name) => {
    expect(() => readSettings(settings)).toThrow(SettingsError);
    expect(() => readSettings(settings)).toThrow(new RegExp(`^Wrong settings: .*\\b${name}\\b.*$`));
  });

  // Node's timers fire at once when they are set to more than 24.8 days: a sweep a month would be a sweep a millisecond.
  it.each([
    'SWEEP_INTERVAL',
    'PAYMENT_PROVIDER_TIMEOUT',
    'FLIGHT_SUPPLIER_TIMEOUT',
    'FLIGHT_ORDER_TIMEOUT',
    'WEBHOOK_TIMEOUT',
    'DATABASE_POOL_TIMEOUT',
  ] as const)('let %s be no longer than a timer', (name) => {
    expect(readSettings({ [name]: '24d' })[name]).toBe(24 * 86_400_000);
    expect(() => readSettings({ [name]: '25d' })).toThrow(
      `Wrong settings: ${name}: "25d" is longer than 24d`,
    );
  });

  it.each<[Record<string, string>, string]>([
    [{ PORT: 'http' }, 'PORT: must be a whole number'],
    [{ PORT: '80.5' }, 'PORT: must be a whole number'],
    [{ PORT: '65536' }, 'PORT: must be 0 to 65535'],
    [{ PORT: ' ' }, 'PORT: must be a whole number'],
    [{ PORT: '0x10' }, 'PORT: must be a whole number'],
    [{ RATE_LIMIT_SEARCH: '1e3' }, 'RATE_LIMIT_SEARCH: must be a whole number'],
    [{ PUBLIC_URL: 'example.com' }, 'PUBLIC_URL: must start with http:// or https://'],
    [{ PUBLIC_URL: 'https://' }, 'PUBLIC_URL: is not a URL'],
    [{ PUBLIC_URL: 'http://gateway:99999' }, 'PUBLIC_URL: is not a URL'],
    [{ PUBLIC_URL: 'https://example.com?a=b' }, 'PUBLIC_URL: must end with its path: links begin with it'],
    [{ PUBLIC_URL: 'https://example.com/tra vel' }, 'PUBLIC_URL: has a blank in it'],
    [{ PUBLIC_URL: 'https://exam\nple.com' }, 'PUBLIC_URL: has a blank in it'],
    [{ PUBLIC_URL: 'https://someone@example.com' }, 'PUBLIC_URL: must name no user: links begin with it'],
    [{ SMTP_URL: 'smtp://' }, 'SMTP_URL: is not a URL'],
    [{ SMTP_URL: 'smtp://someone:a word@mail.example.com' }, 'SMTP_URL: has a blank in it'],
    ...['cache', '/3', '-1', '3x', '3/4'].map((path): [Record<string, string>, string] => [
      { REDIS_URL: `redis://host/${path}` },
      'REDIS_URL: must end with the number of a database, if with any',
    ]),
    [{ REDIS_URL: 'redis://host:port' }, 'REDIS_URL: is not a URL'],
    ...['redis://bob:100%s3c@host', 'redis://100%:word@host', 'redis://a%2:5x@host'].map(
      (url): [Record<string, string>, string] => [
        { REDIS_URL: url },
        'REDIS_URL: must have each % of its user and password as %25',
      ],
    ),
    [
      { ...deployment, DATABASE_URL: 'postgres://someone:with#hash@db/embarque' },
      'DATABASE_URL: is not a URL',
    ],
    [{ ...deployment, DATABASE_URL: 'postgres://db/\ta' }, 'DATABASE_URL: has a blank in it'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: must be fatal, error, warn, info, debug, trace, or silent'],
    [{ PAYMENT_PROVIDER: 'nobody' }, `PAYMENT_PROVIDER: must be ${anyOf(paymentProviderNames)}`],
    [{ EXCHANGE_RATES: 'guess' }, `EXCHANGE_RATES: must be ${anyOf(exchangeRateAdapterNames)}`],
    [{ RATE_LIMIT_SEARCH: 'none' }, 'RATE_LIMIT_SEARCH: must be a whole number'],
    [{ RATE_LIMIT_SEARCH: '0' }, 'RATE_LIMIT_SEARCH: must be at least 1'],
    [
      { WEBHOOK_RETRY_DELAYS: '0s,3651d' },
      'WEBHOOK_RETRY_DELAYS: "0s,3651d" is not a list of durations such as 0s,5m,30m',
    ],
    [{ PIX_VALIDITY: '5\n' }, 'PIX_VALIDITY: "5\\n" is not a duration such as 500ms, 2s, 30m or 24h'],
    [
      { WEBHOOK_RETRY_DELAYS: '0s,\n5' },
      'WEBHOOK_RETRY_DELAYS: "0s,\\n5" is not a list of durations such as 0s,5m,30m',
    ],
    [{ PIX_VALIDITY: '3651d' }, 'PIX_VALIDITY: "3651d" is longer than 3650d'],
    [{ RATE_LIMIT_WINDOW: '0s' }, 'RATE_LIMIT_WINDOW: "0s" is shorter than 1ms'],
  ])('say of %j what would be right', (settings, line) => {
    expect(() => readSettings(settings)).toThrow(new SettingsError(`Wrong settings: ${line}`));
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

  it('of compose.yaml are settings', async () => {
    const compose = await readFile(new URL('../../compose.yaml', import.meta.url), 'utf8');
    const [, shared = ''] = /environment: &settings\n((?: {4}\w+: .*\n)+)/.exec(compose) ?? [];
    const names = [...shared.matchAll(/^ {4}(\w+):/gm)].map(([, name]) => name as string);
    expect(names).toContain('DATABASE_URL');
    expect(names.filter((name) => !(settingNames as readonly string[]).includes(name))).toEqual([]);
    // Without it, no other flight supplier could be named.
    expect(names).toContain('EXCHANGE_RATE_TABLE');
  });

  it('are refused all at once, and without repeating secrets', () => {
    const refusal = () =>
      readSettings({
        PORT: 'x',
        BOOTSTRAP_LIVE_KEY: 'sk_live_bad key',
        ENCRYPTION_KEY: 'my secret',
        ENCRYPTION_KEY_PREVIOUS: `${encryptionKey},my other`,
      });
    expect(refusal).toThrow(
      /^Wrong settings: PORT: [^;]+; BOOTSTRAP_LIVE_KEY: [^;]+; ENCRYPTION_KEY: [^;]+; ENCRYPTION_KEY_PREVIOUS: [^;]+$/,
    );
    expect(refusal).not.toThrow(/bad key|my secret|my other|abab/);
  });

  it('are refused together with those that DATABASE_URL asks for, whichever are wrong', () => {
    const { DATABASE_URL } = deployment;
    const others = 'PAYMENT_PROVIDER, EXCHANGE_RATES, ENCRYPTION_KEY';
    expect(() => readSettings({ DATABASE_URL, PORT: 'abc', FLIGHT_SUPPLIERS: 'nobody' })).toThrow(
      new RegExp(`^Wrong settings: PORT: [^;]+; FLIGHT_SUPPLIERS: [^;]+; with DATABASE_URL, name ${others}$`),
    );
    expect(() => readSettings({ DATABASE_URL: 'mysql://db', FLIGHT_SUPPLIERS: 'simulated' })).toThrow(
      new RegExp(`^Wrong settings: DATABASE_URL: [^;]+; with DATABASE_URL, name ${others}$`),
    );
    expect(() => readVaultSettings({ DATABASE_URL, LOG_LEVEL: 'loud', ENCRYPTION_KEY: '' })).toThrow(
      /^Wrong settings: LOG_LEVEL: [^;]+; with DATABASE_URL, name ENCRYPTION_KEY$/,
    );
  });
});
