import { z } from 'zod';
import { olindaUrl } from './infrastructure/exchangeRates/ptax/bulletins.ts';
import { parseRateTable, RateTableError } from './infrastructure/exchangeRates/rateTable.ts';
import { exchangeRateAdapterNames } from './infrastructure/exchangeRates/registry.ts';
import { flightSupplierNames } from './infrastructure/flights/registry.ts';
import { clientAuthentications } from './infrastructure/payments/pixApi/pixApiSettings.ts';
import { paymentProviderNames } from './infrastructure/payments/registry.ts';
import {
  apiKey,
  count,
  duration,
  durations,
  encryptionKey,
  encryptionKeys,
  flag,
  hasDecodableLogin,
  headerFields,
  namesUser,
  oneOf,
  optionalUrl,
  timer,
  url,
  wholeNumber,
} from './settingForms.ts';

/** Every setting of the process, read once at boot. A wrong value stops the boot with one clear line. */

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

/** Where another service is asked; what its query has goes with each request. */
const webAddress = url(['http', 'https'], { host: true })
  .refine((text) => !text.includes('#'), 'must have no #')
  .refine((text) => !namesUser(text), 'must name no user: it is asked without a login');

const settingsSchema = z.object({
  PORT: wholeNumber
    .pipe(z.number().min(0, 'must be 0 to 65535').max(65_535, 'must be 0 to 65535'))
    .default(4000),
  HOST: z.string().min(1).default('127.0.0.1'),
  PUBLIC_URL: optionalUrl(['http', 'https'], { host: true })
    .refine((text) => !/[?#]/.test(text ?? ''), 'must end with its path: links begin with it')
    .refine((text) => !namesUser(text ?? ''), 'must name no user: links begin with it'),
  // A file whose lines end as on Windows leaves one: it would name another folder, in which everything begins anew.
  DATA_DIR: z
    .string()
    .refine((text) => text === text.trim(), 'begins or ends with a blank')
    .default('./data'),
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
      (text) => !text || !URL.canParse(text) || hasDecodableLogin(text),
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
  PIX_API_URL: webAddress.optional(),
  PIX_API_TOKEN_URL: webAddress.optional(),
  PIX_API_CLIENT_ID: z.string().optional(),
  PIX_API_CLIENT_SECRET: z.string().optional(),
  PIX_API_CLIENT_AUTHENTICATION: oneOf(clientAuthentications).default('client_secret_basic'),
  PIX_API_SCOPE: z.string().default('cob.read cob.write pix.read'),
  PIX_API_HEADERS: headerFields.optional(),
  PIX_API_CERTIFICATE: z.string().optional(),
  PIX_API_PRIVATE_KEY: z.string().optional(),
  PIX_API_CALLBACK_SECRET: z
    .string()
    .regex(/^[\w-]{16,128}$/, 'must be 16 to 128 letters, digits or any of _ -')
    .optional(),
  PIX_KEY: z.string().trim().max(77, 'must be a Pix key: at most 77 characters').optional(),
  PIX_RECEIVER_NAME: z.string().optional(),
  PIX_RECEIVER_CITY: z.string().optional(),
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
    // fetch takes no such address, and quotes it in what it throws.
    .refine((text) => !namesUser(text), 'must name no user: it is asked without a login')
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
