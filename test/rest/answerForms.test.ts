import { expect, it } from 'vitest';
import document from '../../rest/openapi.json' with { type: 'json' };
import type { Json } from '../harness/client.ts';
import { answerFaults } from '../harness/documentedAnswers.ts';

/** What the OpenAPI document shows as the answer of an endpoint, with one member of it replaced. */
function exampleWith(method: string, path: string, member: string, value: unknown): Json {
  const { responses } = (document.paths as Json)[path][method];
  const example = structuredClone((responses[200] ?? responses[201]).content['application/json'].example);
  const names = member.split('.');
  const last = names.pop() ?? '';
  const parent = names.reduce((at, name) => at[name], example);
  if (typeof parent[last] !== 'string') throw new Error(`no text ${member}`);
  parent[last] = value;
  return example;
}

const segment = 'offers.0.slices.0.segments.0';

it.each([
  ['get', '/wallet/balance', 'data.balance', '1234.5'],
  ['get', '/wallet/balance', 'data.last_transaction_at', '2026-11-20'],
  ['get', '/wallet/transactions', 'data.summary.period_start', '2026-02-30'],
  ['get', '/wallet/transactions', 'data.summary.period_end', '20/11/2026'],
  ['post', '/wallet/recharge', 'data.payment.pix_qrcode_url', 'code.png'],
  ['post', '/flights/search', 'slices.0.departure_date', '2027-01-15T00:00:00Z'],
  ['post', '/flights/search', `${segment}.departing_at`, '2027-01-15T21:00:00Z'],
  ['post', '/flights/search', `${segment}.arriving_at`, '2027-01-15'],
  ['post', '/flights/search', `${segment}.duration`, '1h05'],
  ['post', '/flights/search', `${segment}.distance`, '337'],
  ['post', '/flights/search', `${segment}.operating_carrier.logo_symbol_url`, 'LA.svg'],
  ['post', '/flights/search', 'offers.0.slices.0.duration', '65'],
  ['get', '/bookings/{id}', 'data.passengers.0.born_on', '1/5/1990'],
  ['get', '/bookings/{id}', 'data.eticket_url', 'ticket.pdf'],
])('%s %s is documented so strictly that %s is not %s', (method, path, member, value) => {
  const answer = exampleWith(method, path, member, value);
  const status = method === 'post' && path === '/wallet/recharge' ? 201 : 200;
  const places = answerFaults(method.toUpperCase(), path, status, answer);
  // Of what may be one thing or another, no more is told than where it stands.
  expect(places.filter((place) => member.startsWith(place))).not.toEqual([]);
});
