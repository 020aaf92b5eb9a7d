import { Router } from 'express';
import type { Metrics } from '../metrics.ts';
import { refuseOtherMethods } from './otherMethods.ts';

export interface HealthCheck {
  name: string;
  /** Resolves when the part answers. */
  check(): Promise<unknown>;
}

const checkTimeoutMs = 2_000;

/** For whoever runs the service: liveness, readiness and Prometheus metrics. */
export function createOperationsRouter(
  checks: readonly HealthCheck[],
  metrics: Metrics,
  isServing: () => boolean,
): Router {
  const router = Router();
  router.get('/health/live', (request, response) => {
    request.routeName = '/health/live';
    response.json({ status: 'live' });
  });
  router.get('/health/ready', async (request, response) => {
    request.routeName = '/health/ready';
    const results = await Promise.all(
      checks.map(async ({ name, check }) => [name, await answers(check)] as const),
    );
    const ready = isServing() && results.every(([, sound]) => sound);
    const parts = Object.fromEntries(results.map(([name, sound]) => [name, sound ? 'ok' : 'unavailable']));
    response.setHeader('Cache-Control', 'no-store');
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'unavailable', checks: parts });
  });
  // Writing them takes milliseconds, so all who ask at the same moment get the same.
  let writing: Promise<string> | null = null;
  router.get('/metrics', async (request, response) => {
    request.routeName = '/metrics';
    writing ??= metrics.registry.metrics().finally(() => {
      writing = null;
    });
    response.type(metrics.registry.contentType).send(await writing);
  });
  for (const path of ['/health/live', '/health/ready', '/metrics']) refuseOtherMethods(router, path, path);
  return router;
}

async function answers(check: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), checkTimeoutMs);
  });
  const sound = await Promise.race([
    check().then(
      () => true,
      () => false,
    ),
    timeout,
  ]);
  clearTimeout(timer);
  return sound;
}
