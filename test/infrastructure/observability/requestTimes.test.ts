import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { RequestTimes } from '../../../src/infrastructure/observability/requestTimes.ts';

/** Upper bounds in seconds: dashboards are drawn over them. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const requests = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  route: fc.constantFrom('/graphql', '/wallet/recharge/:id'),
  status: fc.constantFrom(null, 200, 404),
  seconds: fc.oneof(fc.constantFrom(...buckets), fc.double({ min: 0, max: 20, noNaN: true })),
});

it('requests are told to Prometheus as its own histogram would', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(requests, { maxLength: 50 }), async (added) => {
      const [ours, theirs] = [new Registry(), new Registry()];
      const times = new RequestTimes(ours);
      const { name, help } = (await times.get()) as { name: string; help: string };
      const histogram = new Histogram({
        name,
        help,
        labelNames: ['method', 'route', 'status'],
        buckets,
        registers: [theirs],
      });
      for (const { method, route, status, seconds } of added) {
        times.add(method, route, status, seconds);
        histogram.observe({ method, route, status: status ?? 'none' }, seconds);
      }
      expect(await samplesOf(ours)).toEqual(await samplesOf(theirs));
    }),
  );
});

/** In the order of the first requests of each series; exemplars are none of ours. */
async function samplesOf(registry: Registry) {
  const [metric] = (await registry.getMetricsAsJSON()) as unknown as [{ values: Sample[] }];
  return metric.values.map(({ metricName, labels, value }) => ({ metricName, labels, value }));
}

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}
