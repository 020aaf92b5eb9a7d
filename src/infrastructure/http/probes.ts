import type { Router } from 'express';
import { unauthorized } from '../../errors.ts';
import { lateAfter } from '../lateAfter.ts';
import type { Metrics } from '../observability/metrics.ts';
import { carriesToken } from './bearer.ts';
import { refuseOtherMethods } from './otherMethods.ts';
import { createRouter } from './router.ts';

export interface HealthCheck {
  name: string;
  /** Resolves when the part answers. */
  check(): Promise<unknown>;
}

const checkTimeoutMs = 2_000;

export interface ProbeParts {
  checks: readonly HealthCheck[];
  isServing: () => boolean;
  metrics: Metrics;
  /** Without it whoever comes may read the metrics. */
  metricsKey: string | undefined;
}

/** For whoever runs the service: liveness, readiness and Prometheus metrics. */
export function createProbesRouter({ checks, isServing, metrics, metricsKey }: ProbeParts): Router {
  const router = createRouter();
  router.get('/health/live', (request, response) => {
    request.routeName = '/health/live';
    response.json({ status: 'live' });
  });
  // All who ask at the same moment get the same: strangers who ask without end must not keep the database busy.
  const look = oneAtATime(() =>
    Promise.all(checks.map(async ({ name, check }) => [name, await answers(check)] as const)),
  );
  router.get('/health/ready', async (request, response) => {
    request.routeName = '/health/ready';
    const results = await look();
    const ready = isServing() && results.every(([, sound]) => sound);
    const parts = Object.fromEntries(results.map(([name, sound]) => [name, sound ? 'ok' : 'unavailable']));
    response.setHeader('Cache-Control', 'no-store');
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'unavailable', checks: parts });
  });
  // Writing them takes milliseconds, and each text of its own would be kept for as long as its reader likes.
  const write = oneAtATime(async () => Buffer.from(await metrics.registry.metrics()));
  // A proxy that keeps this path to itself knows it without a slash behind it.
  const exact = createRouter({ strict: true });
  exact.get('/metrics', async (request, response) => {
    request.routeName = '/metrics';
    if (metricsKey !== undefined && !carriesToken(request.headers.authorization, metricsKey))
      throw unauthorized();
    response.type(metrics.registry.contentType).send(await write());
  });
  refuseOtherMethods(exact, '/metrics', '/metrics');
  router.use(exact);
  for (const path of ['/health/live', '/health/ready']) refuseOtherMethods(router, path, path);
  return router;
}

/** The same work: whoever asks while it is under way waits for what comes of it. */
function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => {
    underWay ??= work().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}

function answers(check: () => Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const callOff = lateAfter(checkTimeoutMs, () => resolve(false));
    const say = (isSound: boolean) => {
      callOff();
      resolve(isSound);
    };
    check().then(
      () => say(true),
      () => say(false),
    );
  });
}
