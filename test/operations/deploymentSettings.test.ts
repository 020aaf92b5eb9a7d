import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestFor } from '../bookings/bookingSteps.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeOneEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

const publicUrl = 'https://pay.example.com/travel';

describeEngines('Settings that a deployment changes', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, {
      settings: { PUBLIC_URL: `${publicUrl}/`, COALESCE_READS: 'false', SIMULATED_TICKETING_DELAY: '0s' },
    });
  });
  afterAll(() => server?.close());

  const post = async (path: string, key: string, body: Json): Promise<Json> =>
    (await server.rest('POST', `/api/v1${path}`, { key, body })).body;
  const recharge = async (key: string, method: string): Promise<Json> =>
    (await post('/wallet/recharge', key, { amount: '100.00', currency: 'BRL', payment_method: method })).data;

  /** What the service has at a link, as the proxy that is behind PUBLIC_URL asks for it. */
  async function opened(link: string): Promise<string> {
    expect(link.startsWith(`${publicUrl}/`), link).toBe(true);
    const { status, text } = await server.rest('GET', link.slice(publicUrl.length));
    expect([link, status]).toEqual([link, 200]);
    return text;
  }

  it('PUBLIC_URL: payers’ links begin with it, and lead to their charges', async () => {
    const { test: key } = await server.createTeam();
    const { payment: pix } = await recharge(key, 'pix');
    await opened(pix.pix_qrcode_url);
    const { payment: boleto } = await recharge(key, 'boleto');
    await opened(boleto.boleto_pdf_url);
    expect(await opened(boleto.boleto_url)).toContain(`href="${boleto.boleto_pdf_url}"`);
  });

  it('PUBLIC_URL: so do those of logos and e-tickets', async () => {
    const { test: key } = await server.createTeam();
    const departureDate = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const { offers } = await post('/flights/search', key, {
      type: 'one_way',
      slices: [{ origin: 'GRU', destination: 'GIG', departureDate }],
      passengers: [{ type: 'adult', count: 1 }],
    });
    expect(await opened(offers[0].slices[0].segments[0].operating_carrier.logo_symbol_url)).toContain('<svg');
    const { id } = (await post('/bookings', key, requestFor(offers[0]))).data;
    const link = await eventually(async () => {
      const { body } = await server.rest('GET', `/api/v1/bookings/${id}`, { key });
      return body.data.eticket_url as string | undefined;
    });
    expect(await opened(link)).toMatch(/^%PDF/);
  });

  it('COALESCE_READS=false: balances that are read at once are each their own wallet’s', async () => {
    const teams = await Promise.all(Array.from({ length: 3 }, () => server.createTeam()));
    for (const [index, { live }] of teams.entries())
      for (let paid = 0; paid <= index; paid += 1) {
        const { id } = await recharge(live, 'pix');
        await server.rest('POST', `/simulator/recharges/${id}/pay`, { key: live });
      }
    const balances = await Promise.all(
      teams.map(
        async ({ live }) =>
          (await server.rest('GET', '/api/v1/wallet/balance', { key: live })).body.data.balance,
      ),
    );
    expect(balances).toEqual(['100.00', '200.00', '300.00']);
  });
});

describeOneEngine('A PUBLIC_URL with accented letters', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { PUBLIC_URL: 'https://agência.example/cobrança/' } });
  });
  afterAll(() => server?.close());

  it('is in links as URIs have it', async () => {
    const body = { amount: '100.00', currency: 'BRL', payment_method: 'boleto' };
    const { test: key } = await server.createTeam();
    const { data } = (await server.rest('POST', '/api/v1/wallet/recharge', { key, body })).body;
    const boletoUrl = `https://xn--agncia-jva.example/cobran%C3%A7a/boletos/${data.id}`;
    expect(data.payment).toMatchObject({ boleto_url: boletoUrl, boleto_pdf_url: `${boletoUrl}.pdf` });
  });
});
