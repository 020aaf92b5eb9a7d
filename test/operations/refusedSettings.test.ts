import { describe, expect, it } from 'vitest';
import { readSettings, readVaultSettings, SettingsError } from '../../src/config.ts';
import { exchangeRateAdapterNames } from '../../src/infrastructure/exchangeRates/registry.ts';
import { paymentProviderNames } from '../../src/infrastructure/payments/registry.ts';
import { deployment, encryptionKey } from './deployment.ts';

const anyOf = (names: readonly string[]) => new Intl.ListFormat('en', { type: 'disjunction' }).format(names);

describe('Settings', () => {
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
    [{ METRICS_KEY: 'k'.repeat(129) }, 'METRICS_KEY'],
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
    [{ PIX_API_URL: 'pix.example.com/api/v2' }, 'PIX_API_URL'],
    [{ PIX_API_URL: 'https://pix.example.com/api/v2#pix' }, 'PIX_API_URL'],
    [{ PIX_API_TOKEN_URL: 'https://id:secret@pix.example.com/oauth/token' }, 'PIX_API_TOKEN_URL'],
    [{ PIX_API_CLIENT_AUTHENTICATION: 'basic' }, 'PIX_API_CLIENT_AUTHENTICATION'],
    [{ PIX_API_HEADERS: 'X-Application-Key: k' }, 'PIX_API_HEADERS'],
    [{ PIX_API_HEADERS: '{"X-Application-Key":1}' }, 'PIX_API_HEADERS'],
    [{ PIX_API_HEADERS: '{"X Application Key":"k"}' }, 'PIX_API_HEADERS'],
    [{ PIX_API_HEADERS: '{"X-Application-Key":"k\\n"}' }, 'PIX_API_HEADERS'],
    [{ PIX_API_CALLBACK_SECRET: 'fifteen-letters' }, 'PIX_API_CALLBACK_SECRET'],
    [{ PIX_API_CALLBACK_SECRET: 'sixteen/letters!' }, 'PIX_API_CALLBACK_SECRET'],
    [{ PIX_API_CALLBACK_SECRET: 's'.repeat(129) }, 'PIX_API_CALLBACK_SECRET'],
    [{ PIX_KEY: 'k'.repeat(78) }, 'PIX_KEY'],
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
    ...['//mirror', '//mirror:geheim', '///mirror:geheim'].map((login): [Record<string, string>, string] => [
      { PTAX_URL: `http:${login}@mirror.example.com/odata` },
      'PTAX_URL: must name no user: it is asked without a login',
    ]),
    ...['./data\r', './data ', ' ./data', ' '].map((folder): [Record<string, string>, string] => [
      { DATA_DIR: folder },
      'DATA_DIR: begins or ends with a blank',
    ]),
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
