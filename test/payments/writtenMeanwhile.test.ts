import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { dataOf, pixOf } from '../doors/door.ts';
import { restDoor } from '../doors/restDoor.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { startTestServer } from '../harness/server.ts';
import { startServiceLink } from '../harness/serviceLink.ts';
import { Bank, signatureOf } from './bank.ts';

describeSeveralSessions('A payment that is told by whoever looks for its recharge', (engine) => {
  it('before, and whether that is under way after, it is written, is credited', async () => {
    const bank = new Bank();
    const server = await startTestServer(engine, { paymentProvider: bank });
    const held: { to: Socket; bytes: Buffer }[] = [];
    let isHeldUp = true;
    const link = await startServiceLink(new URL(server.environment.DATABASE_URL as string), (near, far) => {
      near.on('data', (bytes: Buffer) => {
        if (isHeldUp && bytes.includes('find_charge_under_way')) held.push({ to: far, bytes });
        else far.write(bytes);
      });
      far.pipe(near);
    });
    const place = {
      settings: { ...server.environment, DATABASE_URL: link.url },
      release: async () => undefined,
    };
    const told = await startTestServer(
      { ...engine, allocate: async () => place },
      { paymentProvider: new Bank() },
    );
    const tell = async (rechargeId: string) => {
      const body = JSON.stringify([{ rechargeId, outcome: 'paid', providerReference: 'early' }]);
      const request = { method: 'POST', body, headers: { 'X-Bank-Signature': signatureOf(body) } };
      return (await fetch(`${told.url}/callbacks/payments/bank`, request)).status;
    };
    try {
      const { live } = await server.createTeam();
      let telling: Promise<number> | null = null;
      bank.charges = async ({ rechargeId }) => {
        telling = tell(rechargeId);
        await eventually(() => held.length === 1);
        return { method: 'pix', pixCopyPaste: 'code' };
      };
      const door = restDoor(() => server);
      const { id } = dataOf(await door.createRecharge(live, pixOf('100.00')));
      isHeldUp = false;
      for (const { to, bytes } of held) to.write(bytes);
      expect(await telling).toBe(200);
      expect(dataOf(await door.getRecharge(live, id)).status).toBe('completed');
    } finally {
      await told.close();
      link.close();
      await server.close();
    }
  });
});
