import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** Prometheus metrics of one server; each server has its own registry, so that several can live in a test process. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const stopDefaults = collectDefaultMetrics({ register: registry, prefix: 'embarque_' });
  return {
    registry,
    stopDefaults,
    requestSeconds: new Histogram({
      name: 'embarque_http_request_duration_seconds',
      help: 'Time from the first byte of a request to the last of its response',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    operations: new Counter({
      name: 'embarque_operations_total',
      help: 'Root GraphQL operations executed, from either door',
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    rateLimited: new Counter({
      name: 'embarque_rate_limited_total',
      help: 'Operations refused by a rate limit',
      labelNames: ['bucket'],
      registers,
    }),
    events: new Counter({
      name: 'embarque_events_announced_total',
      help: 'Times that this process announced new events of a team',
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
