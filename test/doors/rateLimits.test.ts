import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { simulatedPaymentProvider } from '../../src/infrastructure/payments/simulated.ts';
import { eventually } from '../harness/client.ts';
import { countOf } from '../harness/metricSamples.ts';
import { openRawSocket } from '../harness/rawSocket.ts';
import type { Outcome } from './door.ts';
import {
  dataOf,
  describeDoors,
  expectRefusal,
  forbidden,
  pixOf,
  rechargeNotFound,
  unauthorized,
} from './door.ts';
import { newTeamKeys } from './keys.ts';

const rateLimitExceeded = { status: 429, code: 'RATE_LIMIT_EXCEEDED', message: 'Rate limit exceeded' };

const hourSeconds = 3_600;

const remainingOf = ({ headers }: { headers: Headers }) => headers.get('x-ratelimit-remaining');
const resetOf = ({ headers }: { headers: Headers }) => Number(headers.get('x-ratelimit-reset'));

function expectRetryLater(outcome: Outcome): void {
  expectRefusal(outcome, rateLimitExceeded);
  expect(outcome.headers.get('x-ratelimit-limit')).toBe('5');
  expect(remainingOf(outcome)).toBe('0');
  const retryAfter = Number(outcome.headers.get('retry-after'));
  expect(retryAfter).toBeGreaterThan(hourSeconds - 120);
  expect(retryAfter).toBeLessThanOrEqual(hourSeconds);
  const untilReset = resetOf(outcome) - Date.now() / 1000;
  expect(Math.abs(untilReset - retryAfter)).toBeLessThan(5);
}

/** An IPv6 network that nobody else counts with, without its `::/64`: counters in Redis are shared. */
const newNetwork = () => `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}`;

/** An IPv4 address as translators in front of hosts without IPv4 show it (RFC 6052). */
const newTranslated = () => `64:ff9b::${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}`;

const newAddress = () => `${newNetwork()}::1`;

describeDoors(
  'the rate limit',
  (stage) => {
    it('says when to come back whatever else the request asked for', async () => {
      const { live } = await newTeamKeys(stage.server);
      for (let sent = 0; sent < 5; sent += 1) await stage.door.balance(live);
      const document = `mutation {
        cancelRecharge(id: "rch_unknown") { id }
        createBooking(offerId: "off_unknown", type: instant, passengers: []) { id }
      }`;
      const { body, headers } = await stage.server.graphql(document, null, live);
      expect(body.errors?.[0]?.extensions.code).toBe('RATE_LIMIT_EXCEEDED');
      expect(body.errors?.[1]?.extensions.code).not.toBe('RATE_LIMIT_EXCEEDED');
      expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual(['5', '0']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(hourSeconds - 120);
    });

    it('lets five requests of a window through, says in headers where one stands, and refuses the sixth', async () => {
      const { live } = await newTeamKeys(stage.server);
      const outcomes = [];
      for (let sent = 0; sent < 5; sent += 1) outcomes.push(await stage.door.balance(live));
      expect(outcomes.map(({ ok }) => ok)).toEqual(Array(5).fill(true));
      expect(outcomes.map(({ headers }) => headers.get('x-ratelimit-limit'))).toEqual(Array(5).fill('5'));
      expect(outcomes.map(remainingOf)).toEqual(['4', '3', '2', '1', '0']);
      expect(outcomes.map(({ headers }) => headers.get('retry-after'))).toEqual(Array(5).fill(null));
      const resets = outcomes.map(resetOf);
      expect(Math.max(...resets) - Math.min(...resets)).toBeLessThanOrEqual(1);
      expect(Math.min(...resets) - Date.now() / 1000).toBeGreaterThan(hourSeconds - 120);
      const refused = [
        await stage.door.balance(live),
        await stage.door.createRecharge(live, pixOf('100.00')),
      ];
      for (const outcome of refused) expectRetryLater(outcome);
      expect(await stage.server.query('SELECT 1 FROM recharges')).toEqual([]);
    });

    it('is over when it says that it is, and no later than a client waits that does as it is told', async () => {
      const { live } = await newTeamKeys(stage.server);
      // What is an hour later would lose most of a second if it were rounded down.
      await eventually(() => Date.now() % 1_000 > 500);
      const overMs = Date.now() + hourSeconds * 1_000;
      const outcomes = [];
      for (let sent = 0; sent < 6; sent += 1) outcomes.push(await stage.door.balance(live));
      const waitMs = Number(outcomes[5]?.headers.get('retry-after')) * 1_000;
      expect(Date.now() + waitMs).toBeGreaterThanOrEqual(overMs);
      expect(Math.min(...outcomes.map(resetOf)) * 1_000).toBeGreaterThanOrEqual(overMs);
    });

    it('lets exactly five of fifteen through that come at once', async () => {
      const { live } = await newTeamKeys(stage.server);
      const outcomes = await Promise.all(Array.from({ length: 15 }, () => stage.door.balance(live)));
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(5);
      for (const outcome of outcomes) if (!outcome.ok) expectRetryLater(outcome);
    });

    it('is one for all operations and for both doors', async () => {
      const { live } = await newTeamKeys(stage.server);
      const outcomes = [
        await stage.door.balance(live),
        await stage.otherDoor.balance(live),
        await stage.door.transactions(live),
        await stage.otherDoor.getRecharge(live, 'nothing'),
        await stage.door.createRecharge(live, {}),
      ];
      expect(outcomes.map(remainingOf)).toEqual(['4', '3', '2', '1', '0']);
      expectRetryLater(await stage.door.balance(live));
      expectRetryLater(await stage.otherDoor.balance(live));
    });

    it('is each key’s own, also within a team', async () => {
      const { live, test, issue } = await newTeamKeys(stage.server);
      for (let sent = 0; sent < 5; sent += 1) dataOf(await stage.door.balance(live));
      expectRetryLater(await stage.door.balance(live));
      expect(remainingOf(await stage.door.balance(test))).toBe('4');
      expect(remainingOf(await stage.door.balance(await issue('live')))).toBe('4');
    });

    it('counts what is refused, and says so on 400, 403 and 404', async () => {
      const { live, issue } = await newTeamKeys(stage.server);
      const bad = await stage.door.transactions(live, { limit: 0 });
      const unknown = await stage.door.getRecharge(live, 'nothing');
      expectRefusal(unknown, rechargeNotFound);
      expect([bad.ok, remainingOf(bad), remainingOf(unknown)]).toEqual([false, '4', '3']);
      const writing = await issue('live', ['wallet:write']);
      const denied = await stage.door.balance(writing);
      expectRefusal(denied, forbidden);
      expect(remainingOf(denied)).toBe('4');
      for (let sent = 0; sent < 4; sent += 1) expectRefusal(await stage.door.balance(writing), forbidden);
      expectRetryLater(await stage.door.balance(writing));
    });

    it('shows the notice of test mode on its refusals', async () => {
      const { test } = await newTeamKeys(stage.server);
      for (let sent = 0; sent < 5; sent += 1) await stage.door.balance(test);
      const outcome = await stage.door.balance(test);
      expectRetryLater(outcome);
      expect(outcome.meta).toMatchObject({ test_mode: true });
    });

    it('counts a replay like any request', async () => {
      const { live } = await newTeamKeys(stage.server);
      const idempotencyKey = randomUUID();
      const outcomes = [];
      for (let sent = 0; sent < 6; sent += 1) {
        outcomes.push(await stage.door.createRecharge(live, pixOf('100.00'), { idempotencyKey }));
      }
      expect(outcomes.map(remainingOf)).toEqual(['4', '3', '2', '1', '0', '0']);
      expect(outcomes.map(({ replayed }) => replayed)).toEqual([false, true, true, true, true, false]);
      expectRetryLater(outcomes[5] as Outcome);
      await stage.server.query('DELETE FROM recharges');
    });

    it('tells the metrics of all that it refuses, by what counted it', async () => {
      const refusals = (bucket: string) =>
        countOf(stage.server.url, `embarque_rate_limited_total{bucket="${bucket}"}`);
      const { live } = await newTeamKeys(stage.server);
      const headers = { 'x-forwarded-for': newAddress() };
      const before = [await refusals('default'), await refusals('unauthenticated')] as const;
      for (let sent = 0; sent < 7; sent += 1) await stage.door.balance(live);
      for (let sent = 0; sent < 6; sent += 1) await stage.door.balance(null, { headers });
      for (let sent = 0; sent < 6; sent += 1) await stage.server.rest('GET', '/pix/nothing.png', { headers });
      expect(await refusals('default')).toBe(before[0] + 2);
      expect(await refusals('unauthenticated')).toBe(before[1] + 2);
    });

    describe('of callers without a valid key', () => {
      it('is their address’s: the sixth failure is refused, other addresses and valid keys are not', async () => {
        const headers = { 'x-forwarded-for': newAddress() };
        for (const key of [null, 'sk_live_unknown_unknown', null, 'nonsense', 'sk_test_unknown_unknown']) {
          const outcome = await stage.door.balance(key, { headers });
          expectRefusal(outcome, unauthorized);
          expect(outcome.headers.get('x-ratelimit-limit')).toBeNull();
        }
        const refused = await stage.door.balance(null, { headers });
        expectRetryLater(refused);
        expectRetryLater(await stage.otherDoor.balance('sk_live_unknown_unknown', { headers }));
        expect(refused.meta).toBeUndefined();
        const elsewhere = { 'x-forwarded-for': newAddress() };
        expectRefusal(await stage.door.balance(null, { headers: elsewhere }), unauthorized);
        const { live } = await newTeamKeys(stage.server);
        expect(remainingOf(await stage.door.balance(live, { headers }))).toBe('4');
      });

      it('is that of whom the proxy has seen: what a client writes before it is not believed', async () => {
        const seen = newAddress();
        const from = (written: string) => ({ headers: { 'x-forwarded-for': `${written}, ${seen}` } });
        for (let sent = 0; sent < 5; sent += 1)
          expectRefusal(await stage.door.balance(null, from(newAddress())), unauthorized);
        expectRetryLater(await stage.door.balance(null, from(newAddress())));
      });

      it('is the network’s of an IPv6 address, of which whoever has one has all', async () => {
        const network = newNetwork();
        const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
        for (let sent = 0; sent < 5; sent += 1)
          expectRefusal(await stage.door.balance(null, from(`${network}::${sent + 1}`)), unauthorized);
        expectRetryLater(await stage.door.balance(null, from(`${network}:ffff:ffff:ffff:ffff`)));
        const neighbours = network.replace(/[^:]+$/, (last) => (Number.parseInt(last, 16) ^ 1).toString(16));
        expectRefusal(await stage.door.balance(null, from(`${neighbours}::1`)), unauthorized);
      });

      it('is one for an IPv4 address, however it is written', async () => {
        const address = `10.${randomBytes(3).join('.')}`;
        const from = (written: string) => ({ headers: { 'x-forwarded-for': written } });
        for (const written of [address, `::ffff:${address}`, address, `::FFFF:${address}`, address])
          expectRefusal(await stage.door.balance(null, from(written)), unauthorized);
        expectRetryLater(await stage.door.balance(null, from(`::ffff:${address}`)));
      });

      it('is each IPv4 address’s own also where a network shows all of them as one network of IPv6', async () => {
        const [first, second] = [newTranslated(), newTranslated()];
        const from = (written: string) => ({ headers: { 'x-forwarded-for': written } });
        for (let sent = 0; sent < 5; sent += 1)
          expectRefusal(await stage.door.balance(null, from(first)), unauthorized);
        expectRetryLater(await stage.door.balance(null, from(first)));
        expectRefusal(await stage.door.balance(null, from(second)), unauthorized);
      });

      it('is that of a host on the same link, whatever our interface is called', async () => {
        const network = newNetwork().replace(/^[^:]+/, 'fe80');
        const from = (written: string) => ({ headers: { 'x-forwarded-for': written } });
        for (const zone of ['eth0', 'br-0a1b2c', 'eth0.100', 'wlan_0', 'en0:1'])
          expectRefusal(await stage.door.balance(null, from(`${network}::1%${zone}`)), unauthorized);
        expectRetryLater(await stage.door.balance(null, from(`${network}::1%br-0a1b2c`)));
      });

      it('is one for an address, with whatever port a proxy writes behind it', async () => {
        const from = (written: string) => ({ headers: { 'x-forwarded-for': written } });
        for (const address of [`10.${randomBytes(3).join('.')}`, `[${newAddress()}]`]) {
          for (let port = 50_001; port <= 50_005; port += 1)
            expectRefusal(await stage.door.balance(null, from(`${address}:${port}`)), unauthorized);
          expectRetryLater(await stage.door.balance(null, from(`${address}:50006`)));
          expectRetryLater(await stage.door.balance(null, from(address)));
        }
      });

      it('counts WebSockets, too, by the address that the proxy names', async () => {
        const headers = { 'x-forwarded-for': newAddress() };
        for (let sent = 0; sent < 5; sent += 1) {
          const socket = await openRawSocket(stage.server.url, { headers });
          socket.send({
            type: 'connection_init',
            payload: { Authorization: 'Bearer sk_live_unknown_unknown' },
          });
          expect((await socket.closed()).code).toBe(4403);
        }
        expectRetryLater(await stage.door.balance(null, { headers }));
        const elsewhere = { 'x-forwarded-for': newAddress() };
        expectRefusal(await stage.door.balance(null, { headers: elsewhere }), unauthorized);
      });

      it('counts files behind links, apart from failures: strangers do not have any number of them drawn', async () => {
        const { live } = await newTeamKeys(stage.server);
        const { payment } = dataOf(
          await stage.door.createRecharge(live, { ...pixOf('100.00'), payment_method: 'boleto' }),
        );
        const paths = [new URL(payment.boleto_url).pathname, new URL(payment.boleto_pdf_url).pathname];
        const network = newNetwork();
        const headers = { 'x-forwarded-for': `${network}::1` };
        const open = (path: string, from: Record<string, string> = headers) =>
          stage.server.rest('GET', path, { headers: from });
        for (let sent = 0; sent < 5; sent += 1)
          expect((await open(paths[sent % 2] as string)).status).toBe(200);
        for (const path of [...paths, '/pix/nothing.png', '/etickets/nothing.pdf?signature=x']) {
          const refused = await open(path, { 'x-forwarded-for': `${network}::2` });
          expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
          expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        }
        const shown = await open(paths[0] as string, { ...headers, accept: 'text/html' });
        expect([shown.status, Number(shown.headers.get('retry-after')) > 0]).toEqual([429, true]);
        expect(shown.text).toContain('Aguarde um minuto');
        expectRefusal(await stage.door.balance(null, { headers }), unauthorized);
        expect((await open(paths[0] as string, { 'x-forwarded-for': newAddress() })).status).toBe(200);
        await stage.server.query('DELETE FROM recharges');
      });

      it('counts unknown paths and methods, too', async () => {
        const headers = { 'x-forwarded-for': newAddress() };
        const paths = ['/api/v1/nothing', '/api/v1/wallet/balance', '/api/v1/wallet/recharge'];
        for (let sent = 0; sent < 5; sent += 1) {
          const answer = await stage.server.rest('DELETE', paths[sent % 3] as string, { headers });
          expect(answer.status).toBe(401);
        }
        expectRetryLater(await stage.door.balance(null, { headers }));
        const forged = await stage.server.rest('POST', '/callbacks/payments/simulated', { headers });
        expect(forged.status).toBe(429);
      });
    });
  },
  {
    settings: { RATE_LIMIT_DEFAULT: '5', RATE_LIMIT_WINDOW: '1h', TRUST_PROXY: 'true' },
    paymentProvider: { ...simulatedPaymentProvider(), readNotifications: async () => null },
  },
);
