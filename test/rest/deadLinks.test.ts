import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

describeEngines('links of payers and travellers', (engine) => {
  let server: TestServer;
  let key = '';
  beforeAll(async () => {
    server = await startTestServer(engine);
    ({ live: key } = await server.createTeam());
  });
  afterAll(() => server?.close());

  const request = async (payment_method: string) => {
    const body = { amount: '100.00', currency: 'BRL', payment_method };
    const created = await server.rest('POST', '/api/v1/wallet/recharge', { key, body });
    expect(created.status).toBe(201);
    return created.body.data;
  };

  it('that lead nowhere show a browser a page in Portuguese, in which nothing can run, and an image the envelope', async () => {
    const { id, payment } = await request('pix');
    const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8' };
    const unknown = 'rch_01jd3v5w7kehxa1m4b9qk0t2zc';
    const tickets = '/etickets/ord_01jd3v5w7kehxa1m4b9qk0t2zc.pdf?signature=x';
    const whole = [`/boletos/${unknown}`, `/boletos/${id}.pdf`, `/pix/${unknown}.png`, tickets];
    const cut = [
      '/boletos/',
      `/pix/${id}`,
      tickets.slice(0, 20),
      tickets.slice(0, tickets.indexOf('f?')),
      '/etickets',
    ];
    for (const path of [...whole, ...cut]) {
      const { status, headers, text } = await server.rest('GET', path, { headers: browser });
      expect([path, status, headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8']);
      expect(text).toMatch(/<html lang="pt-BR">[\s\S]*<h1>Link não encontrado<\/h1>/);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
      expect(headers.get('cache-control')).toBe('no-store');
    }
    const image = { accept: 'image/avif,image/webp,*/*;q=0.8' };
    expect((await server.rest('GET', `/pix/${unknown}.png`, { headers: image })).body.error.code).toBe(
      'NOT_FOUND',
    );
    for (const path of cut)
      expect((await server.rest('GET', path)).body.error, path).toMatchObject({ code: 'NOT_FOUND' });
    // Nobody follows a link by any other method.
    for (const [path, code] of [
      [`/boletos/${unknown}`, 'VALIDATION_ERROR'],
      ['/boletos/', 'NOT_FOUND'],
    ] as const)
      expect((await server.rest('POST', path, { headers: browser })).body.error, path).toMatchObject({
        code,
      });
    expect((await fetch(payment.pix_qrcode_url, { headers: browser })).status).toBe(200);
  });

  it('leave what shows their right out of the log, also where they were mangled on the way', async () => {
    for (const mark of ['?', '%3F', '%3f', '%253F']) {
      const path = `/etickets/ord_01jd3v5w7kehxa1m4b9qk0t2zc.pdf${mark}signature=unguessable`;
      const { status, headers } = await server.rest('GET', path);
      expect(status).toBe(404);
      const requestId = headers.get('x-request-id')!;
      const line = await eventually(() => server.logLines.find((one) => one.includes(requestId)));
      expect(JSON.parse(line).path).toBe('/etickets/ord_01jd3v5w7kehxa1m4b9qk0t2zc.pdf');
    }
  });

  it('of unknown ids, or of recharges paid the other way, are 404 with the envelope', async () => {
    const [pix, boleto] = [await request('pix'), await request('boleto')];
    const unknown = 'rch_01jd3v5w7kehxa1m4b9qk0t2zc';
    for (const path of [
      `/pix/${unknown}.png`,
      `/boletos/${unknown}`,
      `/boletos/${unknown}.pdf`,
      `/pix/${boleto.id}.png`,
      `/boletos/${pix.id}`,
      `/boletos/${pix.id}.pdf`,
      `/pix/${pix.id}`,
      `/pix/${pix.id}.jpg`,
      `/pix/${pix.id.toUpperCase()}.png`,
      `/PIX/${pix.id}.png`,
      '/pix/..%2f..%2fpackage.json.png',
      "/boletos/'%00",
      `/boletos/${'a'.repeat(5000)}`,
      '/boletos/%zz',
      '/boletos/',
    ]) {
      const { status, body, text } = await server.rest('GET', path);
      expect([status, body?.success, body?.error.code], path).toEqual([404, false, 'NOT_FOUND']);
      expect(text).not.toMatch(/node_modules|\n\s+at |select|URIError/i);
    }
  });
});
