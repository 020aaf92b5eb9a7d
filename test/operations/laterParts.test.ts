import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { useServerProcesses } from '../harness/serverProcess.ts';
import { folderWithStore } from '../infrastructure/database/folder.ts';

const startProcess = useServerProcesses();

let folder: Awaited<ReturnType<typeof folderWithStore>>;
beforeAll(async () => {
  folder = await folderWithStore();
});
afterAll(() => folder.remove());

/** Of util-linux: changes the limits of a process that runs. */
const prlimit = '/usr/bin/prlimit';

it.skipIf(!existsSync(prlimit))(
  'what is loaded after the start works also where its first request met a lack of descriptors',
  async () => {
    const key = 'sk_test_parts-that-are-loaded-later';
    const server = startProcess({
      PORT: '0',
      DATA_DIR: folder.path,
      BOOTSTRAP_TEST_KEY: key,
      LOG_LEVEL: 'debug',
      PUBLIC_URL: 'http://localhost',
    });
    const url = await server.ready();
    // One connection for all requests: a new one would need a descriptor.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (method: string, path: string, body?: object) =>
      new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
        const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
        request(`${url}${path}`, { agent, method, headers }, async (response) => {
          const text = Buffer.concat(await response.toArray()).toString();
          resolve({ status: response.statusCode, text });
        })
          .on('error', reject)
          .end(body && JSON.stringify(body));
      });
    const charge = async (method: 'pix' | 'boleto') => {
      const asked = { amount: '100.00', currency: 'BRL', payment_method: method };
      return JSON.parse((await ask('POST', '/api/v1/wallet/recharge', asked)).text).data.payment;
    };
    const pathOf = (link: string) => new URL(link).pathname;
    const [pix, boleto] = [await charge('pix'), await charge('boleto')];
    // Has the store open what the reading of a charge needs.
    expect((await ask('GET', pathOf(pix.pix_qrcode_url))).status).toBe(200);
    await eventually(() => server.log().some(({ msg }) => msg === 'all parts loaded'));

    const limit = (descriptors: string) =>
      execFileSync(prlimit, [`--nofile=${descriptors}:`, `--pid=${server.process.pid}`]);
    limit('20');
    await ask('GET', pathOf(boleto.boleto_pdf_url));
    limit('1000');
    const afterwards = await ask('GET', pathOf(boleto.boleto_pdf_url));
    expect(afterwards.status).toBe(200);
    agent.destroy();
  },
);
