import { afterAll, beforeAll, beforeEach } from 'vitest';
import { dataOf, pixOf } from '../doors/door.ts';
import { restDoor } from '../doors/restDoor.ts';
import type { Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { ManualClock } from '../harness/manualClock.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { sweptTwice } from '../harness/sweeps.ts';
import { PixBank } from './pixBank.ts';

export const callbackSecret = 'what-only-the-bank-and-we-know';
const callbackPath = '/callbacks/payments/pix_api';

/** The bank's name of a recharge's charge. */
export const txidOf = (rechargeId: string) => rechargeId.replace('rch_', '');

/** The product as a customer of a bank with the Pix API, with a clock that both go by. */
export class PixStage {
  readonly bank = new PixBank();
  readonly clock = new ManualClock();
  readonly door = restDoor(() => this.server);
  #server: TestServer | null = null;
  #linesBefore = 0;

  get server(): TestServer {
    if (!this.#server) throw new Error('no server before the tests run');
    return this.#server;
  }

  async open(engine: Parameters<typeof startTestServer>[0], settings: Record<string, string>): Promise<void> {
    const ofBank = await this.bank.open();
    this.#server = await startTestServer(engine, {
      clock: this.clock,
      settings: { ...ofBank, PIX_API_CALLBACK_SECRET: callbackSecret, ...settings },
    });
  }

  async close(): Promise<void> {
    await this.#server?.close();
    await this.bank.close();
  }

  /** A new team, and a recharge of its. */
  async requested(amount = '320.00'): Promise<{ live: string; test: string; id: string; payment: Json }> {
    const team = await this.server.createTeam();
    return { ...team, ...dataOf(await this.door.createRecharge(team.live, pixOf(amount))) };
  }

  /** What the product has logged in this test. */
  logged = (msg: string): string[] =>
    this.server.logLines.slice(this.#linesBefore).filter((line) => JSON.parse(line).msg === msg);

  async begin(): Promise<void> {
    // What the test before has left due, by its last move of the clock, is none of the next one's.
    for (const sweeper of ['missed-notices', 'charge-cancellation'])
      await sweptTwice(this.server.url, sweeper);
    this.bank.reset();
    this.bank.now = () => this.clock.now().getTime();
    this.#linesBefore = this.server.logLines.length;
  }

  read = async (key: string, id: string): Promise<Json> => dataOf(await this.door.getRecharge(key, id));

  /** The bank calls, as it does with everything that it has to tell of payments. */
  async callback(body: Json, secret = callbackSecret): Promise<{ status: number; body: Json }> {
    const response = await fetch(`${this.server.url}${callbackPath}/${secret}/pix`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  }

  /** It tells of the payments of these names, as it knows them. */
  tell(...names: string[]): Promise<{ status: number; body: Json }> {
    return this.callback({
      pix: names.map((name) => this.bank.payments.find((one) => one.endToEndId === name)),
    });
  }
}

export function describePixApi(
  title: string,
  tests: (stage: PixStage) => void,
  settings: Record<string, string> = {},
): void {
  describeOneEngine(title, (engine) => {
    const stage = new PixStage();
    beforeAll(() => stage.open(engine, settings));
    afterAll(() => stage.close());
    beforeEach(() => stage.begin());
    tests(stage);
  });
}
