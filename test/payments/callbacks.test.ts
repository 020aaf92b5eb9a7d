import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeEach, expect, it } from 'vitest';
import { dataOf, describeDoors, payLive } from '../doors/door.ts';
import { cancel, eventsOf } from '../doors/rechargeSteps.ts';
import { eventually } from '../harness/client.ts';
import { countOf } from '../harness/metricSamples.ts';
import { rawRequest } from '../harness/rawRequest.ts';
import { minuteMs } from '../harness/testClock.ts';
import { Bank, signatureOf } from './bank.ts';
import { paid, path, post, rechargesOn, tell, tellUntilTaken, waiting } from './bankSteps.ts';
import { describeReturnedPayments } from './returnedPayments.ts';
import { describeUnsettledPayments } from './unsettledPayments.ts';

const bank = new Bank();
describeDoors(
  'payments that the provider tells of',
  (stage) => {
    beforeEach(() => bank.reset());

    const { requested, read, balanceOf } = rechargesOn(stage);

    it('are credited once, however often and at once they are told', async () => {
      const { live, id } = await requested();
      const paidAt = stage.clock.isoIn(minuteMs);
      stage.clock.advance(2 * minuteMs);
      const providerReference = randomUUID().padEnd(100, '!~');
      const told = paid(id, { paidAt, amountCents: '32000', providerReference });
      const answers = await Promise.all(Array.from({ length: 5 }, () => tellUntilTaken(stage, told, told)));
      answers.push(await tellUntilTaken(stage, told));
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
      expect(answers[0]?.body).toEqual({ success: true, data: { received: 2 } });
      expect(await read(live, id)).toMatchObject({ status: 'completed', paid_at: paidAt });
      expect(await balanceOf(live)).toBe('320.00');
      expect(await eventsOf(stage, id)).toEqual([
        'wallet.recharge.pending',
        'wallet.credit',
        'wallet.recharge.completed',
      ]);
      expect(await waiting(stage, told.providerReference)).toEqual([]);
    });

    it('are told by nobody but the bank: there is no simulator of one', async () => {
      const { live, id } = await requested();
      expect((await payLive(stage.server, live, id)).status).toBe(404);
      expect((await read(live, id)).status).toBe('pending');
    });

    it('are paid now when no time is told, and not in a future one', async () => {
      const [silent, ahead] = [await requested(), await requested()];
      await tell(stage, paid(silent.id), paid(ahead.id, { paidAt: stage.clock.isoIn(5_000) }));
      for (const { live, id } of [silent, ahead])
        expect((await read(live, id)).paid_at).toBe(stage.clock.now().toISOString());
    });

    it('that failed end their recharge, and nothing that was paid', async () => {
      const { live, id } = await requested();
      await tell(stage, { ...paid(id, { paidAt: stage.clock.isoIn(0) }), outcome: 'failed' });
      expect((await read(live, id)).status).toBe('failed');
      const other = await requested();
      await tell(stage, paid(other.id), { ...paid(other.id), outcome: 'failed' });
      expect((await read(other.live, other.id)).status).toBe('completed');
      expect((await tell(stage, { ...paid('rch_x'), outcome: 'failed' })).status).toBe(200);
    });

    it('made before the recharge was cancelled or failed are credited when they are told after it', async () => {
      const [withdrawn, failed] = [await requested(), await requested()];
      const paidAt = stage.clock.isoIn(minuteMs);
      stage.clock.advance(2 * minuteMs);
      bank.cancels = async () => {
        throw new Error('503');
      };
      dataOf(await cancel(stage, withdrawn.live, withdrawn.id));
      await tell(stage, { ...paid(failed.id), outcome: 'failed' });
      await tell(stage, paid(withdrawn.id, { paidAt }), paid(failed.id, { paidAt }));
      for (const { live, id } of [withdrawn, failed]) {
        expect(await read(live, id)).toMatchObject({ status: 'completed', paid_at: paidAt });
        expect(await balanceOf(live)).toBe('320.00');
      }
      // Neither has an end any more, nor a charge that is to be cancelled.
      const rows = 'SELECT charge_to_cancel_at, ended_at FROM recharges WHERE id = ANY ($1)';
      const neither = { charge_to_cancel_at: null, ended_at: null };
      expect(await stage.server.query(rows, [[withdrawn.id, failed.id]])).toEqual([neither, neither]);
    });

    describeUnsettledPayments(stage);
    describeReturnedPayments(stage);

    it('are to be told again where they have the reference of another recharge’s', async () => {
      const [one, other] = [await requested(), await requested()];
      const told = paid(one.id);
      await tell(stage, told);
      const mistaken = { ...told, rechargeId: other.id };
      expect((await tell(stage, mistaken, told)).status).toBe(500);
      expect((await read(other.live, other.id)).status).toBe('pending');
      const complaint = stage.server.logLines.find((line) => line.includes(other.id));
      expect(complaint).toContain('"level":50');
    });

    it('are counted in the metrics by what came of them', async () => {
      const outcomes = ['credited', 'failed', 'known', 'unsettled'];
      const counts = () =>
        Promise.all(
          outcomes.map((outcome) =>
            countOf(stage.server.url, `embarque_payment_notices_total{outcome="${outcome}"}`),
          ),
        );
      const before = await counts();
      const [one, other] = [await requested(), await requested()];
      const told = paid(one.id);
      await tell(stage, told, { ...paid(other.id), outcome: 'failed' }, paid('nonsense'), told, told);
      const more = (await counts()).map((count, index) => count - (before[index] as number));
      expect(more).toEqual([1, 1, 2, 1]);
    });

    it('are refused unless the provider signed them', async () => {
      const { live, id } = await requested();
      const forged = await post(stage, JSON.stringify([paid(id)]), { 'X-Bank-Signature': signatureOf('[]') });
      expect(forged).toMatchObject({
        status: 401,
        body: { success: false, error: { code: 'UNAUTHORIZED' } },
      });
      expect((await read(live, id)).status).toBe('pending');
      const elsewhere = await fetch(`${stage.server.url}/callbacks/payments/simulated`, { method: 'POST' });
      expect(elsewhere.status).toBe(404);
      const asked = await fetch(`${stage.server.url}${path}`);
      expect([asked.status, asked.headers.get('Allow')]).toEqual([405, 'POST']);
    });

    it('are taken below the path, too, of which no log tells', async () => {
      for (const below of ['', '/pix', '/unguessable/pix?hmac=unguessable%zz']) {
        const { live, id } = await requested();
        const requestId = randomUUID();
        const told = await post(stage, JSON.stringify([paid(id)]), { 'X-Request-Id': requestId }, below);
        expect(told.status).toBe(200);
        expect((await read(live, id)).status).toBe('completed');
        await eventually(() => stage.server.logLines.some((line) => line.includes(requestId)));
      }
      expect(bank.targets).toEqual(['/', '/pix', '/unguessable/pix?hmac=unguessable%zz']);
      expect(stage.server.logLines.filter((line) => line.includes('unguessable'))).toEqual([]);
      const { text: metrics } = await stage.server.rest('GET', '/metrics');
      expect(metrics).toContain(`method="POST",route="${path}",status="200"`);
      const { status, headers } = await fetch(`${stage.server.url}${path}/pix`, { method: 'POST' });
      // Banks show no key of ours.
      expect([status, headers.get('www-authenticate')]).toEqual([401, null]);
      for (const other of [`${path}x`, path.toUpperCase()])
        expect((await fetch(`${stage.server.url}${other}`, { method: 'POST' })).status).toBe(404);
    });

    it('that end before their door keep what is below the path from the log, too', async () => {
      const { url } = stage.server;
      const below = '/unguessable/pix';
      const [odd, former, whole, shouted] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
      const headers = { 'X-Request-Id': odd, Expect: 'nothing' };
      expect((await rawRequest(url, { method: 'POST', path: `${path}${below}`, headers })).status).toBe(417);
      const elsewhere = `/callbacks/payments/former${below}`;
      await fetch(`${url}${elsewhere}`, { method: 'POST', headers: { 'X-Request-Id': former } });
      const send = (target: string, id: string) =>
        rawRequest(url, { method: 'POST', path: target, headers: { 'X-Request-Id': id } });
      // The first of these reaches the door, which finds no payment in it.
      await send(`${url}${path}${below}`, whole);
      await send(`${path.toUpperCase()}${below}`, shouted);
      const lineOf = (id: string) => stage.server.logLines.find((line) => line.includes(id));
      const ids = [odd, former, whole, shouted];
      await eventually(() => ids.every((id) => lineOf(id) !== undefined));
      expect(ids.map((id) => JSON.parse(lineOf(id) ?? '{}').path)).toEqual([
        path,
        '/callbacks/payments/former',
        `${url}${path}`,
        path.toUpperCase(),
      ]);
      expect(stage.server.logLines.filter((line) => line.includes('unguessable'))).toEqual([]);
    });

    it('are to be told again where they break when they are read, and those told with them are credited', async () => {
      const { live, id } = await requested();
      const readBody = bank.reads;
      bank.reads = async (body) => {
        const [told] = await readBody(body);
        const broken = Object.defineProperty({ ...told! }, 'paidAt', {
          get() {
            throw new Error('no date');
          },
        });
        return [broken, told!];
      };
      expect((await tell(stage, paid(id))).status).toBe(500);
      expect((await read(live, id)).status).toBe('completed');
    });

    it('are to be told again where they make no sense, and those told with them are credited', async () => {
      const { live, id } = await requested();
      for (const nonsense of [
        paid(id, { outcome: 'lost' }),
        ...['', ' ', 'a\n', '\x7f', 'x'.repeat(101), 7].map((providerReference) =>
          paid(id, { providerReference }),
        ),
        paid(id, { paidAt: 'yesterday' }),
        paid(id, { paidAt: '-000001-01-01T00:00:00.000Z' }),
        paid(id, { amountCents: '-32000' }),
        paid(id, { amountCents: String(2n ** 63n) }),
        'paid',
      ])
        expect((await tell(stage, nonsense)).status).toBe(500);
      expect((await read(live, id)).status).toBe('pending');
      const paidAt = stage.clock.now().toISOString();
      const between = [
        paid(id, { outcome: 'lost' }),
        paid(id, { amountCents: String(2n ** 63n) }),
        // As long as a reference may be.
        paid(id, { paidAt, providerReference: id.padEnd(100, 'x') }),
        paid(id, { amountCents: '-1' }),
      ];
      expect((await tell(stage, ...between)).status).toBe(500);
      expect((await read(live, id)).status).toBe('completed');
      const lines = stage.server.logLines.length;
      expect((await tell(stage, ...Array(5_000).fill(paid(id, { outcome: 'lost' })))).status).toBe(500);
      const refusal = stage.server.logLines.slice(lines).join('');
      expect(refusal).toContain('5000 payment notifications not taken');
      expect(refusal.length).toBeLessThan(100_000);
      const malformed = await post(stage, '{');
      expect(malformed).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL_ERROR' } } });
      expect((await post(stage, 'x'.repeat(1_048_577))).status).toBe(400);
      const told = JSON.stringify([paid(id)]);
      const zipped = await fetch(`${stage.server.url}${path}`, {
        method: 'POST',
        body: gzipSync(told),
        headers: { 'X-Bank-Signature': signatureOf(told), 'Content-Encoding': 'gzip' },
      });
      expect(zipped.status).toBe(400);
    });
  },
  { paymentProvider: bank, inPairs: true },
);
