import type { Settings } from './config.ts';
import { EventFeed } from './domain/events/feed.ts';
import { beginFaultCounts } from './domain/events/inspection.ts';
import type { Gateway } from './domain/gateway.ts';
import { KeyPlaces } from './domain/keyPlaces.ts';
import type { Platform } from './domain/platform.ts';
import { readinessChecks } from './domain/readiness.ts';
import { Access } from './domain/teams/access.ts';
import type { Bootstrap } from './domain/teams/bootstrap.ts';
import { bootstrapDemoTeam } from './domain/teams/bootstrap.ts';
import { keepKeyNoted } from './domain/vault/keyCheck.ts';
import { startWorker } from './domain/worker.ts';
import type { Doors } from './doors.ts';
import { openHttp } from './doors.ts';
import type { Clock } from './infrastructure/clock.ts';
import { SharedClock } from './infrastructure/database/sharedClock.ts';
import type { ExchangeRates } from './infrastructure/exchangeRates/exchangeRates.ts';
import { createExchangeRates } from './infrastructure/exchangeRates/registry.ts';
import { createFlightSuppliers } from './infrastructure/flights/registry.ts';
import type { FlightSupplier } from './infrastructure/flights/supplier.ts';
import { listen } from './infrastructure/http/listening.ts';
import { prepareStop } from './infrastructure/http/stopping.ts';
import { loadParts } from './infrastructure/laterParts.ts';
import { createMailer } from './infrastructure/mail.ts';
import type { Log, ProcessLog } from './infrastructure/observability/log.ts';
import { createLog } from './infrastructure/observability/log.ts';
import type { Metrics } from './infrastructure/observability/metrics.ts';
import { createMetrics } from './infrastructure/observability/metrics.ts';
import type { PaymentProvider } from './infrastructure/payments/provider.ts';
import { checkPaymentProvider, createPaymentProvider } from './infrastructure/payments/registry.ts';
import type { Signals } from './infrastructure/pubsub/signals.ts';
import { inProcessSignals } from './infrastructure/pubsub/signals.ts';
import { createRateLimiter } from './infrastructure/rateLimits/rateLimiter.ts';
import { createWebhookSender } from './infrastructure/webhooks/sender.ts';
import type { Store } from './store.ts';
import { inWords, migrationsFolder, openStore } from './store.ts';

/** The composition root: puts the parts together. */

/** What whoever starts it has and hears, and what a test may replace beside it: time and the world outside. */
export interface Overrides {
  clock?: Clock;
  log?: ProcessLog;
  /** Called when keys of a demo team are about to be committed: from then on whoever started it has to show them. */
  onKeys?: () => void;
  flightSuppliers?: readonly FlightSupplier[];
  paymentProvider?: PaymentProvider;
  exchangeRates?: ExchangeRates;
  /** Certificate authority (PEM) that webhook receivers are checked against. */
  webhookAuthority?: string;
  /** How long requests are kept waiting for a Redis that counts them at most, in milliseconds. */
  redisPatienceMs?: number | undefined;
}

export interface RunningServer {
  /** Base URL of the listening server. */
  readonly url: string;
  readonly gateway: Gateway;
  /** What became of the demo team's keys at this start. */
  readonly bootstrap: Bootstrap;
  /** Stops accepting, finishes what is in flight and lets go of everything. */
  close(): Promise<void>;
}

/** The adapters that the settings name. */
function openOutsideWorld(settings: Settings, clock: Clock, log: Log, overrides: Overrides) {
  return {
    paymentProvider: checkPaymentProvider(
      overrides.paymentProvider ?? createPaymentProvider(settings.PAYMENT_PROVIDER, settings, clock),
    ),
    flightSuppliers:
      overrides.flightSuppliers ?? createFlightSuppliers(settings.FLIGHT_SUPPLIERS, clock, settings),
    exchangeRates: createExchangeRates(settings.EXCHANGE_RATES, settings, overrides.exchangeRates),
    webhookSender: createWebhookSender({
      timeoutMs: settings.WEBHOOK_TIMEOUT,
      allowPrivateHosts: settings.WEBHOOK_ALLOW_PRIVATE_HOSTS,
      clockErrorMs: () => Date.now() - clock.now().getTime(),
      ...(overrides.webhookAuthority ? { ca: overrides.webhookAuthority } : {}),
    }),
    mailer: createMailer(settings, log),
  };
}

/** The Redis engine is loaded only where there is a Redis: a start is faster without. */
async function openSignals({ REDIS_URL }: Settings, log: Log): Promise<Signals> {
  if (!REDIS_URL) return inProcessSignals(log);
  const { redisSignals } = await import('./infrastructure/pubsub/redisSignals.ts');
  return redisSignals(REDIS_URL, log);
}

interface PlatformParts {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: ProcessLog;
  readonly outside: ReturnType<typeof openOutsideWorld>;
  readonly metrics: Metrics;
  /** Where the server listens: with PORT=0 its port is known late. */
  readonly address: { readonly port: number };
}

async function openPlatform({
  settings,
  store: { database, vault },
  clock,
  log,
  outside,
  metrics,
  address,
}: PlatformParts): Promise<Platform> {
  // As URIs have it, which links are: `https://agência.example` is none, and not every client would make one of it.
  const publicUrl = settings.PUBLIC_URL && new URL(settings.PUBLIC_URL).href.replace(/\/+$/, '');
  return {
    sequelize: database.sequelize,
    shared: database.shared,
    settings,
    clock,
    log,
    metrics,
    signals: await openSignals(settings, log),
    vault,
    ...outside,
    get publicUrl() {
      return publicUrl ?? `http://localhost:${address.port}`;
    },
  };
}

async function openGateway(platform: Platform, { redisPatienceMs }: Overrides): Promise<Gateway> {
  const { settings, log } = platform;
  return {
    platform,
    access: new Access(platform),
    feed: new EventFeed(platform),
    places: {
      subscriptions: new KeyPlaces(settings.SUBSCRIPTIONS_PER_KEY),
      sockets: new KeyPlaces(settings.SUBSCRIPTIONS_PER_KEY),
    },
    limiter: await createRateLimiter(
      {
        limits: {
          search: settings.RATE_LIMIT_SEARCH,
          bookings: settings.RATE_LIMIT_BOOKINGS,
          default: settings.RATE_LIMIT_DEFAULT,
          unauthenticated: settings.RATE_LIMIT_DEFAULT,
        },
        windowMs: settings.RATE_LIMIT_WINDOW,
        redisUrl: settings.REDIS_URL,
        redisPatienceMs,
      },
      log,
    ),
  };
}

/** Rates that come from outside are asked for by workers, and known to all. */
function startExchangeRates({ exchangeRates, sequelize, clock, log, metrics, settings }: Platform) {
  const asks = settings.ROLES.includes('worker');
  return exchangeRates.start?.({ sequelize, clock, log, metrics, asks, everyMs: settings.SWEEP_INTERVAL });
}

/** What takes a part of a second, and neither readiness nor the first requests should wait for. */
function prepareLater({ graphql }: Doors, { flightSuppliers, log }: Platform): NodeJS.Timeout {
  return setTimeout(() => {
    graphql.loadApollo();
    loadParts().then(
      () => log.debug('all parts loaded'),
      (error) => log.error({ err: error }, 'a part of the program not loaded: it needs a new start'),
    );
    for (const supplier of flightSuppliers)
      Promise.resolve()
        .then(() => supplier.prepare?.())
        .catch((error) => log.warn({ err: error, supplier: supplier.name }, 'flight supplier not prepared'));
  }, 1_000).unref();
}

/** Starts one process of the service with the roles that its settings give it. @throws Error as `openStore` does. */
export const startServer = (settings: Settings, overrides: Overrides = {}): Promise<RunningServer> =>
  start(settings, overrides).catch((error) => {
    throw inWords(error);
  });

async function start(settings: Settings, overrides: Overrides): Promise<RunningServer> {
  const log = overrides.log ?? createLog(settings.LOG_LEVEL);
  const sharedClock = new SharedClock();
  const clock = overrides.clock ?? sharedClock;
  const outside = openOutsideWorld(settings, clock, log, overrides);
  const store = await openStore(settings, log);
  const address = { port: settings.PORT };
  const metrics = createMetrics();
  // The embedded store has no other clock than this process.
  const stopComparing = store.database.shared
    ? await sharedClock.follow({ sequelize: store.database.sequelize, log, metrics })
    : () => undefined;
  const platform = await openPlatform({ settings, store, clock, log, outside, metrics, address });
  beginFaultCounts(platform);
  const gateway = await openGateway(platform, overrides);
  gateway.access.listen();
  gateway.feed.listen();

  let phase: 'starting' | 'serving' | 'stopping' = 'starting';
  const { server, doors, connections } = openHttp(gateway, {
    checks: readinessChecks(platform, migrationsFolder),
    isServing: () => phase === 'serving',
  });
  const stopListening = prepareStop(server, connections.open);
  const sockets = doors?.graphql.attach(server);
  const stopKeyNotes = keepKeyNoted(platform);
  const stopRates = await startExchangeRates(platform);
  const { url, port } = await listen(server, settings);
  address.port = port;
  // Keys are shown once: a start that cannot listen must not have made any.
  const bootstrap = await bootstrapDemoTeam(platform, overrides.onKeys);
  // The last to ask for a connection: where there is but one, the start must not wait for what is swept.
  const stopWorker = settings.ROLES.includes('worker') ? await startWorker(platform) : async () => undefined;
  phase = 'serving';
  const preparation = doors ? prepareLater(doors, platform) : null;
  log.info({ url, roles: settings.ROLES }, 'listening');

  const stop = async () => {
    phase = 'stopping';
    if (preparation) clearTimeout(preparation);
    stopKeyNotes();
    await Promise.all([sockets?.close(), stopListening(), stopWorker(), stopRates?.()]);
    await doors?.graphql.close();
    gateway.feed.close();
    gateway.access.close();
    gateway.limiter.close();
    await platform.webhookSender.close();
    platform.mailer.close();
    await platform.signals.close();
    stopComparing();
    await store.database.close();
    metrics.registry.clear();
  };
  let stopping: Promise<void> | null = null;
  return {
    url,
    gateway,
    bootstrap,
    close() {
      stopping ??= stop();
      return stopping;
    },
  };
}
