import type { Registry } from 'prom-client';
import { Histogram } from 'prom-client';

type Label = 'method' | 'route' | 'status' | 'le';

interface Series {
  readonly labels: { method: string; route: string; status: number | 'none' };
  /** Requests by the first bound that they did not exceed; the last count is of those beyond every bound. */
  readonly counts: number[];
  seconds: number;
}

const name = 'embarque_http_request_duration_seconds';
const help = 'Time from the first byte of a request to the last of its response';
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * A histogram of requests that is put into Prometheus' form when it is asked for: the library's own checks and hashes
 * its labels at every observation, which costs as much as a query.
 */
export class RequestTimes extends Histogram<Label> {
  readonly #series = new Map<string, Series>();

  constructor(registry: Registry) {
    super({
      name,
      help,
      labelNames: ['method', 'route', 'status'],
      registers: [registry],
    });
  }

  /** @param status null for a request that was not answered. */
  add(method: string, route: string, status: number | null, seconds: number): void {
    const key = `${status} ${method} ${route}`;
    let series = this.#series.get(key);
    if (!series) {
      series = {
        labels: { method, route, status: status ?? 'none' },
        counts: Array(bounds.length + 1).fill(0),
        seconds: 0,
      };
      this.#series.set(key, series);
    }
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1;
    series.counts[bucket] = (series.counts[bucket] as number) + 1;
    series.seconds += seconds;
  }

  override get(): ReturnType<Histogram<Label>['get']> {
    const values = [...this.#series.values()].flatMap(samplesOf);
    return Promise.resolve({ name, help, type: 'histogram', values } as never);
  }

  /** Called in place of `get` for Prometheus' text. */
  getForPromString() {
    return this.get();
  }
}

/** Prometheus' buckets count all that is within their bound. */
function samplesOf({ labels, counts, seconds }: Series) {
  let within = 0;
  const buckets = counts.map((count, index) => {
    within += count;
    const le = bounds[index] ?? '+Inf';
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: within };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: within },
  ];
}
