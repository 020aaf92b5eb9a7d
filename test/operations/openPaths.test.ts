import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeOneEngine } from '../harness/engines.ts';
import { rawRequest } from '../harness/rawRequest.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** Paths as declared that are answered without a signed link. */
const spelledExactly = [
  '/health/live',
  '/docs',
  '/docs/start.js',
  '/docs/swagger-ui.css',
  '/favicon.ico',
  '/logos/LA.svg',
  '/api/v1/openapi.json',
  '/api/v1/wallet/balance',
  '/graphql?query={walletBalance{balance}}',
  '/graphql/assets/start.js',
  '/graphql/assets/react.js',
];

describeEngines('What is open to whoever asks', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.close());

  /** Asks five times at the same moment, and waits for the answers. */
  async function askFiveTimes(path: string): Promise<void> {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname).setEncoding('latin1');
    let answers = '';
    socket.on('data', (text: string) => {
      answers += text;
    });
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`.repeat(5));
    await eventually(() => answers.split('HTTP/1.1 200 OK').length === 6);
    socket.destroy();
  }

  it('is one text of the metrics for all who ask at the same moment', async () => {
    const writing = vi.spyOn(server.running.gateway.platform.metrics.registry, 'metrics');
    try {
      await askFiveTimes('/metrics');
      expect(writing).toHaveBeenCalledTimes(1);
    } finally {
      writing.mockRestore();
    }
  });

  it('is one look at the database for all who ask at the same moment whether it answers', async () => {
    const asking = vi.spyOn(server.running.gateway.platform.sequelize, 'query');
    try {
      await askFiveTimes('/health/ready');
      const looks = asking.mock.calls.filter(([sql]) => String(sql).includes('migrations LIMIT 0'));
      expect(looks).toHaveLength(1);
    } finally {
      asking.mockRestore();
    }
  });

  it.skipIf(process.platform !== 'linux')(
    'are files of which a thousand that are asked for and not read take no descriptors',
    async () => {
      const opened = () => readdirSync('/proc/self/fd').length;
      const before = opened();
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname).pause();
      await once(socket, 'connect');
      socket.write('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(1_000));
      // Answered behind them, by when each of them has been begun; and read behind whatever they have opened.
      await server.rest('GET', '/docs/swagger-ui-bundle.js');
      await readFile(new URL(import.meta.url));
      expect(opened() - before).toBeLessThan(100);
      socket.destroy();
    },
  );

  it('are metrics of which a thousand that are asked for and not read are kept once', async () => {
    const { hostname, port } = new URL(server.url);
    const { length } = (await server.rest('GET', '/metrics')).text;
    const socket = connect(Number(port), hostname).pause();
    await once(socket, 'connect');
    const before = process.memoryUsage().arrayBuffers;
    socket.write('GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(1_000));
    // Answered behind them.
    await server.rest('GET', '/metrics');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(300 * length);
    socket.destroy();
  });

  it('are files that browsers keep, and ask for in parts', async () => {
    const path = '/graphql/assets/react.js';
    const whole = await server.rest('GET', path);
    const modified = whole.headers.get('last-modified') ?? '';
    const size = whole.text.length;
    for (const [headers, status, text, range] of [
      [{ 'if-modified-since': modified, range: 'bytes=99999999-' }, 304, '', null],
      [{ 'if-none-match': '"other"' }, 200, whole.text, null],
      [{ 'if-match': '"other"' }, 412, '', null],
      [{ 'if-match': '*' }, 200, whole.text, null],
      [{ 'if-unmodified-since': modified }, 200, whole.text, null],
      [{ 'if-unmodified-since': new Date(0).toUTCString() }, 412, '', null],
      [{ range: 'bytes=2-5' }, 206, whole.text.slice(2, 6), `bytes 2-5/${size}`],
      [{ range: 'bytes=-4' }, 206, whole.text.slice(-4), `bytes ${size - 4}-${size - 1}/${size}`],
      [{ range: 'bytes=0-1,8-9' }, 200, whole.text, null],
      [{ range: 'bytes=2-5', 'if-range': '"other"' }, 200, whole.text, null],
      [{ range: 'lines=2-5' }, 200, whole.text, null],
      [{ range: 'bytes=99999999-' }, 416, '', `bytes */${size}`],
    ] as const) {
      const answer = await rawRequest(server.url, { method: 'GET', path, headers });
      const { 'content-range': given = null, 'cache-control': kept = null } = answer.headers;
      expect([headers, answer.status, given]).toEqual([headers, status, range]);
      // Whoever asked next would be answered with a refusal that a cache has kept.
      expect([headers, kept]).toEqual([headers, status < 400 ? 'public, max-age=86400' : null]);
      expect(answer.text === text, JSON.stringify(headers)).toBe(true);
    }
    const parts: Record<string, string>[] = [{}, { range: 'bytes=2-5' }];
    for (const headers of parts) {
      const answer = await rawRequest(server.url, { method: 'HEAD', path, headers });
      expect([answer.status, answer.headers['content-length'], answer.text]).toEqual([200, `${size}`, '']);
      expect(answer.headers['content-type']).toBe(whole.headers.get('content-type'));
    }
  });

  it('are no metrics at paths that a proxy which keeps /metrics to itself lets pass', async () => {
    for (const path of ['/METRICS', '/metrics/', '/Metrics', '//metrics', '/%6detrics'])
      expect([path, (await server.rest('GET', path)).status]).toEqual([path, 404]);
    // As nginx passes them on, for which they are paths of their own.
    for (const path of [
      '//a@b/metrics#',
      '//a@b/metrics?a#b',
      '/\\a@b/metrics#',
      'http://here//a@b/metrics#',
    ])
      expect([path, (await rawRequest(server.url, { method: 'GET', path })).status]).toEqual([path, 404]);
  });

  it('is the same with a fragment behind it, which no target has', async () => {
    const { status, body } = await rawRequest(server.url, { method: 'GET', path: '/health/live#?a' });
    expect({ status, body }).toEqual({ status: 200, body: { status: 'live' } });
  });

  it('is nothing at paths in another case: a proxy that keeps one to itself knows but its own', async () => {
    const key = server.keys.live;
    for (const path of spelledExactly) {
      const [, first = '', rest = ''] = /^\/(\w+)(.*)$/.exec(path) ?? [];
      expect([path, (await server.rest('GET', path, { key })).status]).toEqual([path, 200]);
      const others = [`/${first.toUpperCase()}${rest}`];
      if (rest.startsWith('/')) others.push(`/${first}${rest.toUpperCase()}`);
      for (const other of others)
        expect([other, (await server.rest('GET', other, { key })).status]).toEqual([other, 404]);
    }
  });
});

describeOneEngine('/metrics where METRICS_KEY is set', (engine) => {
  const metricsKey = 'scrape-0123456789.~+/_=';
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { METRICS_KEY: metricsKey } });
  });
  afterAll(() => server.close());

  it('is read with that key', async () => {
    const { status, text } = await server.rest('GET', '/metrics', { key: metricsKey });
    expect([status, text]).toEqual([
      200,
      expect.stringContaining('# TYPE embarque_operations_total counter'),
    ]);
  });

  it('is refused to all others, operators among them', async () => {
    const { operator } = server.keys;
    for (const key of [null, operator, metricsKey.slice(1), `${metricsKey}=`]) {
      const { status, body } = await server.rest('GET', '/metrics', { key });
      const error = { code: 'UNAUTHORIZED', message: 'Unauthorized', details: {} };
      expect([key, status, body]).toEqual([key, 401, { success: false, error }]);
    }
  });

  it('leaves health checks open', async () => {
    for (const path of ['/health/live', '/health/ready'])
      expect([path, (await server.rest('GET', path)).status]).toEqual([path, 200]);
  });
});
