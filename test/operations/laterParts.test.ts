import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { inDays, requestFor } from '../bookings/bookingSteps.ts';
import { oneWay } from '../flights/searches.ts';
import type { Json } from '../harness/client.ts';
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

const key = 'sk_test_parts-that-are-loaded-later';

/** A server, asked over one connection alone: a new one would need a descriptor. */
async function startLimited() {
  const server = startProcess({
    PORT: '0',
    DATA_DIR: folder.path,
    BOOTSTRAP_TEST_KEY: key,
    LOG_LEVEL: 'debug',
    PUBLIC_URL: 'http://localhost',
  });
  const url = await server.ready();
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
  const stop = async () => {
    agent.destroy();
    await server.stop();
  };
  onTestFinished(stop);
  const limit = (descriptors: string) =>
    execFileSync(prlimit, [`--nofile=${descriptors}:`, `--pid=${server.process.pid}`]);
  return {
    server,
    ask,
    async whileLacking<Result>(work: () => Promise<Result>): Promise<Result> {
      limit('20');
      try {
        return await work();
      } finally {
        limit('1000');
      }
    },
    stop,
  };
}

describe.skipIf(!existsSync(prlimit))('Where the first that need it meet a lack of descriptors', () => {
  it('what is loaded after the start works', async () => {
    const { server, ask, whileLacking } = await startLimited();
    const charge = async (method: 'pix' | 'boleto') => {
      const asked = { amount: '100.00', currency: 'BRL', payment_method: method };
      return JSON.parse((await ask('POST', '/api/v1/wallet/recharge', asked)).text).data.payment;
    };
    const pathOf = (link: string) => new URL(link).pathname;
    const [pix, boleto] = [await charge('pix'), await charge('boleto')];
    // Has the store open what the reading of a charge needs.
    expect((await ask('GET', pathOf(pix.pix_qrcode_url))).status).toBe(200);
    await eventually(() => server.log().some(({ msg }) => msg === 'all parts loaded'));

    await whileLacking(() => ask('GET', pathOf(boleto.boleto_pdf_url)));
    const afterwards = await ask('GET', pathOf(boleto.boleto_pdf_url));
    expect(afterwards.status).toBe(200);
  });

  it('flights are found and booked afterwards', async () => {
    const meet = async () => {
      const limited = await startLimited();
      // Has the store open what the reading of a key needs.
      await limited.ask('GET', '/api/v1/wallet/balance');
      const search = () => limited.ask('POST', '/api/v1/flights/search', oneWay('GRU-GIG', inDays(30)));
      return { ...limited, search, lacking: await limited.whileLacking(search) };
    };
    let met = await meet();
    // A second after the start what searches need is there: a server that was met too late is of no use.
    while (met.lacking.status === 200) {
      await met.stop();
      met = await meet();
    }
    expect(met.lacking.status).toBe(500);
    const found = await met.search();
    expect(found.status).toBe(200);

    const offer: Json = JSON.parse(found.text).offers[0];
    const book = () => met.ask('POST', '/api/v1/bookings', requestFor(offer));
    expect((await met.whileLacking(book)).status).toBe(500);
    expect((await book()).status).toBe(201);
  });
});
