import { connect } from 'node:net';
import { expect, it } from 'vitest';
import type { GuardedDoor } from './batches.ts';

/** Bodies that are long or strange, as part of what the door does about what it is asked. */
export function describeBodies(stage: GuardedDoor): void {
  it('does not look long at what a client says of its body', async () => {
    const query = '{ walletBalance { balance } }';
    const asked = async (contentType: string) => {
      const startedMs = performance.now();
      const url = `${stage.server.url}/graphql?query=${encodeURIComponent(query)}`;
      const headers = { authorization: `Bearer ${stage.server.keys.test}`, 'content-type': contentType };
      expect((await fetch(url, { headers })).status).toBe(200);
      return performance.now() - startedMs;
    };
    const [plain, long]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < 5; turn += 1) {
      plain.push(await asked('application/json'));
      long.push(await asked(`application/json;${' '.repeat(14_000)}x`));
    }
    // What is looked at for long takes long each time, and a busy machine only now and then.
    expect(Math.min(...long)).toBeLessThan(15 * Math.min(...plain));
  });

  it('reads bodies up to 1 MiB', async () => {
    const padded = (bytes: number) => {
      const body = (filling: string) =>
        JSON.stringify({ query: `{ walletBalance { balance } } #${filling}` });
      return body('x'.repeat(bytes - body('').length));
    };
    expect((await stage.post(padded(1024 * 1024))).body.data.walletBalance.balance).toBe('5000.00');
    for (const bytes of [1024 * 1024 + 1, 3_000_000]) {
      const answer = await stage.post(padded(bytes));
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0].extensions).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { field: 'body', type: 'too_large' },
      });
    }
  });

  it('stops reading a body that has no end', async () => {
    const { port } = new URL(stage.server.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    let answer = '';
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text;
    });
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${stage.team.test}\r\n` +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    // 16 MiB are read, and the buffers of both ends hold some 10 MiB more: far below what is ready to be sent.
    const mostChunks = 2_000;
    let chunks = 0;
    while (!socket.destroyed && answer === '' && chunks < mostChunks) {
      await new Promise((resolve) => socket.write(chunk, resolve));
      chunks += 1;
    }
    socket.destroy();
    // The answer may get lost with what the client was still sending.
    expect(answer.slice(0, 12)).toMatch(/^(HTTP\/1.1 400)?$/);
    expect(chunks).toBeLessThan(mostChunks);
  });
}
