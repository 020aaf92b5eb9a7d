import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

describeEngines('Metrics, which take milliseconds to write', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.close());

  test('are written once for all who ask at the same moment', async () => {
    const writing = vi.spyOn(server.running.gateway.metrics.registry, 'metrics');
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname).setEncoding('latin1');
    let answers = '';
    socket.on('data', (text: string) => {
      answers += text;
    });
    await once(socket, 'connect');
    socket.write('GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(5));
    await eventually(() => answers.split('HTTP/1.1 200 OK').length === 6);
    socket.destroy();
    expect(writing).toHaveBeenCalledTimes(1);
    writing.mockRestore();
  });
});
