import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

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
    const writing = vi.spyOn(server.running.gateway.metrics.registry, 'metrics');
    await askFiveTimes('/metrics');
    expect(writing).toHaveBeenCalledTimes(1);
    writing.mockRestore();
  });

  it('is one look at the database for all who ask at the same moment whether it answers', async () => {
    const asking = vi.spyOn(server.running.gateway.platform.sequelize, 'query');
    await askFiveTimes('/health/ready');
    const looks = asking.mock.calls.filter(([sql]) => String(sql).includes('migrations LIMIT 0'));
    expect(looks).toHaveLength(1);
    asking.mockRestore();
  });

  it('are no metrics at paths that a proxy which keeps /metrics to itself lets pass', async () => {
    for (const path of ['/METRICS', '/metrics/', '/Metrics', '//metrics', '/%6detrics'])
      expect([path, (await server.rest('GET', path)).status]).toEqual([path, 404]);
  });
});
