import { z } from 'zod';
import { looksLikeSecretKey } from './domain/teams/secretKey.ts';
import { olindaUrl } from './infrastructure/exchangeRates/ptax/bulletins.ts';
import { parseRateTable, RateTableError } from './infrastructure/exchangeRates/rateTable.ts';
import { exchangeRateAdapterNames } from './infrastructure/exchangeRates/registry.ts';
import { flightSupplierNames } from './infrastructure/flights/registry.ts';
import { paymentProviderNames } from './infrastructure/payments/registry.ts';

/** Every setting of the process, read once at boot. A wrong value stops the boot with one clear line. */

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds of a duration written as `500ms`, `2s`, `30m`, `24h` or `3d`; null when it is not one. */
function parseDurationMs(text: string): number | null {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim());
  return match ? Number(match[1]) * unitMs[match[2] as keyof typeof unitMs] : null;
}

/** Ten years: a time beyond it is a slip, and may be one that no calendar has. */
const longestMs = 3_650 * unitMs.d;

/** Node's timers count to 24.8 days, and take anything longer for one millisecond. */
const timer = { maximumMs: 24 * unitMs.d };

/** Nothing that is waited for or remembered may last no time unless it says so: a window of 0 s would never end. */
const duration = (fallback: string, { minimumMs = 1, maximumMs = longestMs } = {}) =>
  z
    .string()
    .default(fallback)
    .transform((text, context) => {
      const milliseconds = parseDurationMs(text);
      if (milliseconds !== null && milliseconds >= minimumMs && milliseconds <= maximumMs)
        return milliseconds;
      const quoted = JSON.stringify(text);
      const message =
        milliseconds === null
          ? `${quoted} is not a duration such as 500ms, 2s, 30m or 24h`
          : milliseconds < minimumMs
            ? `${quoted} is shorter than ${minimumMs}ms`
            : `${quoted} is longer than ${maximumMs / unitMs.d}d`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });

/** One duration for each attempt, separated by commas. */
const durations = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((text, context) => {
      const milliseconds = text.split(',').map(parseDurationMs);
      if (milliseconds.every((delay): delay is number => delay !== null && delay <= longestMs))
        return milliseconds;
      const message = `${JSON.stringify(text)} is not a list of durations such as 0s,5m,30m`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });

const flag = (fallback: 'true' | 'false') =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .default(fallback)
    .transform((text) => text === 'true');

/** Digits alone: `Number` would read 0x10 as 16, and a space as 0. */
const wholeNumber = z
  .string()
  .trim()
  .regex(/^-?\d{1,15}$/, 'must be a whole number')
  .transform(Number);

/** In words when they are asked for: what Node.js knows of languages takes a fortieth of a start to load. */
const oneOf = <Name extends string>(names: readonly [Name, ...Name[]]) =>
  z.enum(names, {
    error: () => `must be ${new Intl.ListFormat('en', { type: 'disjunction' }).format(names)}`,
  });

const count = (fallback: number, minimum = 1) =>
  wholeNumber.pipe(z.number().min(minimum, `must be at least ${minimum}`)).default(fallback);

/** `host`: whether it must name one. Of a database it may be left out, and spaces may stand in the options of its sessions. */
const url = (protocols: string[], { host = false } = {}) =>
  z
    .string()
    .trim()
    .refine((text) => protocols.some((protocol) => text.startsWith(`${protocol}://`)), {
      message: `must start with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
      abort: true,
    })
    // URL takes lines and tabs out, and whoever is given the text would not.
    .refine((text) => !(host ? /\s/ : /[^\S ]/).test(text), { message: 'has a blank in it', abort: true })
    .refine((text) => {
      if (host) return URL.canParse(text) && new URL(text).hostname !== '';
      // postgres://user@/name?host=/var/run/postgresql names a folder of sockets; URL takes no user without a host.
      return URL.canParse(text.replace('@/', '@localhost/'));
    }, 'is not a URL');

const optionalUrl = (...kind: Parameters<typeof url>) => url(...kind).optional();

const loginOf = (text: string): string[] => {
  const { username, password } = new URL(text);
  return [username, password];
};

/** URL takes a % that stands for itself; who decodes it may throw. */
function isDecodable(text: string): boolean {
  try {
    // Of no use otherwise, the call would be left out of the bundle.
    return typeof decodeURIComponent(text) === 'string';
  } catch {
    return false;
  }
}

const apiKey = (prefix: string) =>
  z
    .string()
    .refine((text) => text.startsWith(prefix) && looksLikeSecretKey(text), {
      message: `must be ${prefix} and 8 to 128 letters, digits or characters of base64`,
    })
    .optional();

const keyForm = '32 bytes: 64 hexadecimal digits or 44 characters of base64';

/** 32 bytes, written as `openssl rand` prints them with -hex or -base64. @returns 64 hexadecimal digits. */
const encryptionKey = z
  .string()
  .regex(/^(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?)$/, `must be ${keyForm}`)
  .transform((text) => (text.length === 64 ? text : Buffer.from(text, 'base64').toString('hex')));

/** Faults say nothing of which is wrong: it might be quoted. */
const encryptionKeys = z.string().transform((text, context) => {
  const keys = text.split(',').map((key) => encryptionKey.safeParse(key.trim()));
  if (keys.every((key) => key.success)) return keys.map(({ data }) => data);
  context.addIssue({ code: 'custom', message: `must be keys of ${keyForm}, separated by commas` });
  return z.NEVER;
});

const supplierList = z
  .string()
  .transform((text) => [...new Set(text.split(',').map((name) => name.trim()))])
  .refine((names) => names.every((name) => flightSupplierNames.includes(name)), {
    message: `must be names of ${flightSupplierNames.join(', ')}, separated by commas`,
  });

const rateTable = z.string().transform((text, context) => {
  try {
    return parseRateTable(text);
  } catch (error) {
    if (!(error instanceof RateTableError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
});

const settingsSchema = z.object({
  PORT: wholeNumber
    .pipe(z.number().min(0, 'must be 0 to 65535').max(65_535, 'must be 0 to 65535'))
    .default(4000),
  HOST: z.string().min(1).default('127.0.0.1'),
  PUBLIC_URL: optionalUrl(['http', 'https'], { host: true })
    .refine((text) => !/[?#]/.test(text ?? ''), 'must end with its path: links begin with it')
    .refine((text) => !/^\w+:\/\/[^/]*@/.test(text ?? ''), 'must name no user: links begin with it'),
  DATA_DIR: z.string().min(1).default('./data'),
  DATABASE_URL: optionalUrl(['postgres', 'postgresql']),
  DATABASE_POOL_SIZE: count(10),
  // Longer than anyone waits for a lock: those who do so give their connections back before.
  DATABASE_POOL_TIMEOUT: duration('15s', timer),
  /** Whether hot reads that wait at the same moment share one statement. */
  COALESCE_READS: flag('true'),
  REDIS_URL: optionalUrl(['redis', 'rediss'])
    .refine(
      (text) => !text || !URL.canParse(text) || /^\/?(\d+\/?)?$/.test(new URL(text).pathname),
      'must end with the number of a database, if with any',
    )
    .refine(
      (text) => !text || !URL.canParse(text) || loginOf(text).every(isDecodable),
      'must have each % of its user and password as %25',
    ),
  ROLES: z
    .string()
    .default('api,worker')
    .transform((text) => text.split(',').map((role) => role.trim()))
    .refine((roles) => roles.length > 0 && roles.every((role) => role === 'api' || role === 'worker'), {
      message: 'must be api, worker or api,worker',
    }),
  LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  METRICS_KEY: z
    .string()
    .regex(/^[\w.~+/=-]{16,128}$/, 'must be 16 to 128 letters, digits or any of . _ ~ + / = -')
    .optional(),
  BOOTSTRAP_LIVE_KEY: apiKey('sk_live_'),
  BOOTSTRAP_TEST_KEY: apiKey('sk_test_'),
  BOOTSTRAP_ADMIN_KEY: apiKey('sk_admin_'),
  PIX_VALIDITY: duration('30m'),
  IDEMPOTENCY_WINDOW: duration('24h'),
  RATE_LIMIT_WINDOW: duration('1m'),
  RATE_LIMIT_SEARCH: count(60),
  RATE_LIMIT_BOOKINGS: count(30),
  RATE_LIMIT_DEFAULT: count(120),
  SUBSCRIPTIONS_PER_KEY: count(2_000),
  SWEEP_INTERVAL: duration('1s', timer),
  GRAPHQL_INTROSPECTION: flag('true'),
  TRUST_PROXY: flag('false'),
  PAYMENT_PROVIDER: oneOf(paymentProviderNames).optional(),
  PAYMENT_PROVIDER_TIMEOUT: duration('10s', timer),
  FLIGHT_SUPPLIERS: supplierList.optional(),
  FLIGHT_SUPPLIER_TIMEOUT: duration('10s', timer),
  // Carriers take longer to sell than to offer, and what is cut off may be sold all the same.
  FLIGHT_ORDER_TIMEOUT: duration('30s', timer),
  /** What the simulated airlines take to issue tickets. */
  SIMULATED_TICKETING_DELAY: duration('2s', { minimumMs: 0 }),
  OFFER_LIFETIME: duration('20m'),
  EXCHANGE_RATES: oneOf(exchangeRateAdapterNames).optional(),
  EXCHANGE_RATE_TABLE: rateTable.optional(),
  // Friday's rates hold over the longest closure of Brazilian banks, to Ash Wednesday.
  EXCHANGE_RATE_MAX_AGE: duration('6d'),
  EXCHANGE_RATE_SPREAD: z
    .string()
    .regex(/^(0|[1-9]\d?)(\.\d{1,4})?$/, 'must be percent such as 0, 4 or 3.75, below 100')
    .default('0'),
  PTAX_URL: url(['http', 'https'], { host: true })
    .refine((text) => !/[?#]/.test(text), 'must end with its path: what is asked for follows it')
    .default(olindaUrl),
  WEBHOOK_RETRY_DELAYS: durations('0s,5m,30m,2h,12h,24h'),
  WEBHOOK_TIMEOUT: duration('5s', timer),
  WEBHOOK_ALLOW_PRIVATE_HOSTS: flag('false'),
  WEBHOOK_REACHABILITY_CHECK: flag('true'),
  SMTP_URL: optionalUrl(['smtp', 'smtps'], { host: true }),
  ENCRYPTION_KEY: encryptionKey.optional(),
  ENCRYPTION_KEY_PREVIOUS: encryptionKeys.optional(),
});

/** The environment variables that are read; README has a row for each. */
export const settingNames = Object.keys(settingsSchema.shape) as readonly (keyof Settings)[];

/** What it takes to find the store and read it. */
const storeSchema = settingsSchema.pick({
  DATA_DIR: true,
  DATABASE_URL: true,
  DATABASE_POOL_SIZE: true,
  DATABASE_POOL_TIMEOUT: true,
  LOG_LEVEL: true,
});

/** And to open what is sealed in it. */
const vaultSchema = storeSchema.extend(
  settingsSchema.pick({ ENCRYPTION_KEY: true, ENCRYPTION_KEY_PREVIOUS: true }).shape,
);

export type Environment = Record<string, string | undefined>;

export type Settings = ReturnType<typeof readSettings>;

/** What stops the boot: its message is the one line that is shown. */
export class SettingsError extends Error {}

/** Each setting is a member, undefined where it has no value: an adapter that asks for one that is not here does not compile. */
type Complete<Parsed> = { [Name in keyof Required<Parsed>]: Parsed[Name] };

/**
 * @param named what DATABASE_URL asks for: a real deployment must never get play money, or lose its secrets, by forgetting a
 * line.
 */
function parse<Schema extends z.ZodType>(
  schema: Schema,
  environment: Environment,
  named: readonly (keyof z.output<Schema> & string)[] = [],
): Complete<z.output<Schema>> {
  // An empty variable is how compose files and shells spell "not set".
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  const missing = given.DATABASE_URL === undefined ? [] : named.filter((name) => given[name] === undefined);
  if (parsed.success && missing.length === 0) return parsed.data as Complete<z.output<Schema>>;
  const faults = parsed.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? [];
  if (missing.length > 0) faults.push(`with DATABASE_URL, name ${missing.join(', ')}`);
  throw new SettingsError(`Wrong settings: ${faults.join('; ')}`);
}

/**
 * Reads what commands need that only look at the store or write to it: whoever runs one need not know the rest.
 * @throws SettingsError as `readSettings`.
 */
export const readStoreSettings = (environment: Environment) => parse(storeSchema, environment);

/** The same for commands that open what is sealed. @throws SettingsError as `readSettings`. */
export const readVaultSettings = (environment: Environment) =>
  parse(vaultSchema, environment, ['ENCRYPTION_KEY']);

/**
 * Reads the settings from an environment.
 * @throws SettingsError naming every wrong setting on one line.
 */
export function readSettings(environment: Environment) {
  const settings = parse(settingsSchema, environment, [
    'PAYMENT_PROVIDER',
    'FLIGHT_SUPPLIERS',
    'EXCHANGE_RATES',
    'ENCRYPTION_KEY',
  ]);
  return {
    ...settings,
    PAYMENT_PROVIDER: settings.PAYMENT_PROVIDER ?? ('simulated' as const),
    FLIGHT_SUPPLIERS: settings.FLIGHT_SUPPLIERS ?? ['simulated'],
    EXCHANGE_RATES: settings.EXCHANGE_RATES ?? ('table' as const),
  };
}
