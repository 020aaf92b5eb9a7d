import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { OperationTallies } from './operationTallies.ts';
import { RequestTimes } from './requestTimes.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** Prometheus metrics of one server; each server has its own registry, so that several can live in a test process. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'embarque_' });
  return {
    registry,
    requestTimes: new RequestTimes(registry),
    operations: new OperationTallies(registry),
    cutConnections: new Counter({
      name: 'embarque_connections_cut_total',
      help: 'Connections of clients cut because there were as many as the limit of descriptors allows, or too much was unread',
      labelNames: ['kind'],
      registers,
    }),
    rateLimited: new Counter({
      name: 'embarque_rate_limited_total',
      help: 'Operations refused by a rate limit',
      labelNames: ['bucket'],
      registers,
    }),
    supplierSeconds: new Histogram({
      name: 'embarque_flight_supplier_seconds',
      help: 'Time from asking a flight supplier for offers to its answer, its failure or its cut-off',
      labelNames: ['supplier', 'outcome'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    orderSeconds: new Histogram({
      name: 'embarque_flight_order_seconds',
      help: 'Time from asking a flight supplier for something of an order to its answer, its failure or its cut-off',
      labelNames: ['supplier', 'task', 'outcome'],
      buckets: [0.01, 0.1, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120],
      registers,
    }),
    exchangeRateAge: new Gauge({
      name: 'embarque_exchange_rate_age_seconds',
      help: 'Time since the latest known rate of a currency was published',
      labelNames: ['currency'],
      registers,
    }),
    exchangeRateFetches: new Counter({
      name: 'embarque_exchange_rate_fetches_total',
      help: 'Times that the source of exchange rates was asked, by what came of it',
      labelNames: ['currency', 'outcome'],
      registers,
    }),
    clockAhead: new Gauge({
      name: 'embarque_clock_ahead_seconds',
      help: "How far this machine's clock is ahead of the database's; negative where it is behind",
      registers,
    }),
    events: new Counter({
      name: 'embarque_events_announced_total',
      help: 'Times that this process told subscribers and workers that a team has new events or deliveries',
      registers,
    }),
    eventFaults: new Counter({
      name: 'embarque_event_faults_total',
      help: 'Times that an event about to be told to subscribers or a webhook did not fit the catalogue',
      labelNames: ['type'],
      registers,
    }),
    paymentNotices: new Counter({
      name: 'embarque_payment_notices_total',
      help: 'What came of what the payment provider told of charges',
      labelNames: ['outcome'],
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'embarque_webhook_attempts_total',
      help: 'Attempts to deliver a webhook, by what came of them',
      labelNames: ['reason'],
      registers,
    }),
    backlog: new Gauge({
      name: 'embarque_backlog',
      help: 'What has been waiting for too long, of all processes together, as a worker counted it last',
      labelNames: ['kind'],
      registers,
    }),
    subscribers: new Gauge({
      name: 'embarque_subscribers',
      help: 'Live subscriptions open in this process',
      registers,
    }),
    sweeps: new Counter({
      name: 'embarque_sweeps_total',
      help: 'Sweeper runs',
      labelNames: ['sweeper', 'outcome'],
      registers,
    }),
  };
}
