import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { dataOf, pixOf } from '../doors/door.ts';
import { restDoor } from '../doors/restDoor.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { startServiceLink } from '../harness/serviceLink.ts';
import { Bank, signatureOf } from './bank.ts';

async function tell({ url }: TestServer, rechargeId: string, providerReference: string): Promise<number> {
  const body = JSON.stringify([{ rechargeId, outcome: 'paid', providerReference }]);
  const request = { method: 'POST', body, headers: { 'X-Bank-Signature': signatureOf(body) } };
  return (await fetch(`${url}/callbacks/payments/bank`, request)).status;
}

describeSeveralSessions('A payment that one process is told of', (engine) => {
  interface Stage {
    bank: Bank;
    server: TestServer;
    /** Another process on the same database. */
    other: TestServer;
    /** Resolves when the other one is about to ask the statement. */
    held(): Promise<unknown>;
    goOn(): void;
  }

  /** Holds up a statement of one process until the work says to go on. */
  async function whileHeld(statement: string, work: (stage: Stage) => Promise<void>): Promise<void> {
    const bank = new Bank();
    const server = await startTestServer(engine, { paymentProvider: bank });
    const waiting: { to: Socket; bytes: Buffer }[] = [];
    let isHeldUp = true;
    const link = await startServiceLink(new URL(server.environment.DATABASE_URL as string), (near, far) => {
      near.on('data', (bytes: Buffer) => {
        if (isHeldUp && bytes.includes(statement)) waiting.push({ to: far, bytes });
        else far.write(bytes);
      });
      far.pipe(near);
    });
    const goOn = () => {
      isHeldUp = false;
      for (const { to, bytes } of waiting.splice(0)) to.write(bytes);
    };
    const settings = { ...server.environment, DATABASE_URL: link.url };
    const place = { settings, release: async () => undefined };
    let other: TestServer | null = null;
    try {
      other = await startTestServer(
        { ...engine, allocate: async () => place },
        { paymentProvider: new Bank() },
      );
      await work({ bank, server, other, held: () => eventually(() => waiting.length === 1), goOn });
    } finally {
      goOn();
      await other?.close();
      link.close();
      await server.close();
    }
  }

  it('is credited, though another writes its recharge between the two looks for it', async () => {
    await whileHeld('find_charge_under_way', async ({ bank, server, other, held, goOn }) => {
      const { live } = await server.createTeam();
      let telling: Promise<number> | null = null;
      bank.charges = async ({ rechargeId }) => {
        telling = tell(other, rechargeId, 'early');
        await held();
        return { method: 'pix', pixCopyPaste: 'code' };
      };
      const door = restDoor(() => server);
      const { id } = dataOf(await door.createRecharge(live, pixOf('100.00')));
      goOn();
      expect(await telling).toBe(200);
      expect(dataOf(await door.getRecharge(live, id)).status).toBe('completed');
    });
  });

  it('is one too many, though another credits the first between the look for its recharge and the crediting', async () => {
    await whileHeld('complete_recharge', async ({ server, other, held, goOn }) => {
      const { live } = await server.createTeam();
      const door = restDoor(() => server);
      const { id } = dataOf(await door.createRecharge(live, pixOf('100.00')));
      const telling = tell(other, id, 'second');
      await held();
      expect(await tell(server, id, 'first')).toBe(200);
      goOn();
      expect(await telling).toBe(200);
      const unsettled = '{ unsettledPayments { items { providerReference reason } } }';
      const { data } = (await server.graphql(unsettled, null, server.keys.operator)).body;
      expect(data.unsettledPayments.items).toEqual([
        { providerReference: 'second', reason: 'already_completed' },
      ]);
      expect(dataOf(await door.balance(live)).balance).toBe('100.00');
    });
  });
});
