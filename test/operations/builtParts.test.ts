import { expect, it } from 'vitest';
import { travellersOf } from '../bookings/bookingSteps.ts';
import { pixOf } from '../doors/door.ts';
import type { Json } from '../harness/client.ts';
import { eventually, graphqlDoor, restRequest } from '../harness/client.ts';
import { embedded } from '../harness/engines.ts';
import { useServerProcesses } from '../harness/serverProcess.ts';

/** Other tests run the sources. Here it is the bundle that is asked for whatever is loaded, or found, only then. */

const startProcess = useServerProcesses();

it('the built product finds all its parts: images, documents, pages, airports, validators and both executors', async () => {
  const { settings, release } = await embedded.allocate();
  const key = 'sk_test_0123456789abcdef';
  const server = startProcess({
    ...settings,
    PORT: '0',
    BOOTSTRAP_TEST_KEY: key,
    SIMULATED_TICKETING_DELAY: '100ms',
  });
  const url = await server.ready();
  const file = async (link: string) => {
    const response = await fetch(new URL(link, url));
    return [response.status, response.headers.get('content-type'), (await response.text()).slice(0, 5)];
  };
  const post = async (path: string, body: Json) =>
    (await restRequest(url, 'POST', `/api/v1${path}`, { key, body })).body;

  const { id, payment: pix } = (await post('/wallet/recharge', pixOf('100.00'))).data;
  expect((await file(pix.pix_qrcode_url)).slice(0, 2)).toEqual([200, 'image/png']);
  await restRequest(url, 'POST', `/api/v1/test_helpers/recharges/${id}/expire`, { key });
  expect((await file(pix.pix_qrcode_url)).slice(0, 2)).toEqual([200, 'image/png']);
  const { payment: boleto } = (
    await post('/wallet/recharge', { ...pixOf('100.00'), payment_method: 'boleto' })
  ).data;
  expect(await file(boleto.boleto_pdf_url)).toEqual([200, 'application/pdf', '%PDF-']);
  expect(await file(boleto.boleto_url)).toEqual([200, 'text/html; charset=utf-8', '<!doc']);

  const departureDate = new Date(Date.now() + 40 * 24 * 3_600_000).toISOString().slice(0, 10);
  const found = await post('/flights/search', {
    type: 'one_way',
    slices: [{ origin: 'GRU', destination: 'GIG', departureDate }],
    passengers: [{ type: 'adult', count: 1 }],
  });
  const [offer] = found.offers;
  const booking = { offerId: offer.id, type: 'instant', passengers: travellersOf(offer) };
  expect((await post('/bookings', { ...booking, type: 'sometime' })).error.details.field).toBe('type');
  const payments = [{ type: 'balance', amount: offer.client_amount, currency: 'BRL' }];
  const { id: bookingId } = (await post('/bookings', { ...booking, payments })).data;
  const ticketed = await eventually(async () => {
    const { data } = (await restRequest(url, 'GET', `/api/v1/bookings/${bookingId}`, { key })).body;
    return data.status === 'ticketed' && data;
  });
  expect(ticketed.documents).toHaveLength(1);
  const link = await graphqlDoor(
    url,
    'query ($id: String!) { booking(id: $id) { ...Link } } fragment Link on Booking { eticketUrl }',
    { id: bookingId },
    key,
  );
  expect(await file(link.body.data.booking.eticketUrl)).toEqual([200, 'application/pdf', '%PDF-']);

  for (const page of ['/docs', '/graphql']) {
    const html = await (await fetch(new URL(page, url), { headers: { accept: 'text/html' } })).text();
    const assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
    expect(assets.length, page).toBeGreaterThan(1);
    expect(html, page).toContain('<noscript>');
    // Nothing from elsewhere: there may be no internet.
    expect(assets.filter((asset) => !/^\.\/[^/]/.test(asset))).toEqual([]);
    for (const asset of assets) expect((await file(new URL(asset, url).href))[0], asset).toBe(200);
  }
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  expect(server.output.stdout).not.toContain('payments are simulated');
  await release();
});

it('the built product checks what the sources check, also by calls whose results are of no use', async () => {
  const server = startProcess({ REDIS_URL: 'redis://bob:100%s3c@127.0.0.1' });
  expect(await server.exited).toEqual({ code: 1, signal: null });
  expect(server.output.stderr).toBe(
    'Wrong settings: REDIS_URL: must have each % of its user and password as %25\n',
  );
});
