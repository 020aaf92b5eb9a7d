import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { readSettings } from '../../../src/config.ts';
import type { BookingRow } from '../../../src/domain/bookings/booking.ts';
import { prepareBooking } from '../../../src/domain/bookings/creation.ts';
import { postAlone, postBooking } from '../../../src/domain/bookings/posting.ts';
import { newReference } from '../../../src/domain/bookings/reference.ts';
import { identifierBatch } from '../../../src/infrastructure/identifiers/identifierBatch.ts';
import { startServer } from '../../../src/server.ts';

/** Bookings by the domain's own posting, without a door in front of it. */

export interface Postings {
  /** Wallets first to last, by turns. */
  readonly first: number;
  readonly last: number;
  readonly clients: number;
  readonly seconds: number;
  /** As the product posts, those that wait together in one statement; else each in its own. */
  readonly grouped: boolean;
}

export interface Posted {
  readonly count: number;
  readonly seconds: number;
}

const { PORT = '', BOOTSTRAP_LIVE_KEY = '' } = process.env;
const { gateway, url } = await startServer(
  readSettings({ ...process.env, PORT: '0', LOG_LEVEL: 'error', ROLES: 'api' }),
);
const { platform } = gateway;

/** A real booking of a real offer, as it stands before it is posted. */
async function template(): Promise<BookingRow> {
  const departureDate = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const response = await fetch(`${url}/api/v1/flights/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${BOOTSTRAP_LIVE_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      type: 'one_way',
      slices: [{ origin: 'GRU', destination: 'GIG', departureDate }],
      passengers: [{ type: 'adult', count: 1 }],
    }),
  });
  const [offer] = ((await response.json()) as { offers: OfferAnswer[] }).offers;
  const caller = await gateway.access.authenticate(BOOTSTRAP_LIVE_KEY);
  if (!offer || !caller?.tenant) throw new Error('no offer to book');
  const passenger = {
    id: offer.passengers[0]?.id ?? '',
    given_name: 'Ana',
    family_name: 'Souza',
    born_on: '1990-05-01',
    gender: 'f' as const,
    email: 'ana@example.com',
    phone_number: '+5511987654321',
    identity_document: { type: 'cpf' as const, number: '12345678909' },
  };
  const payments = [{ type: 'balance', amount: offer.client_amount, currency: 'BRL' }];
  const request = { offerId: offer.id, type: 'instant' as const, passengers: [passenger], payments };
  return (await prepareBooking(caller.tenant, request, platform)).booking;
}

interface OfferAnswer {
  readonly id: string;
  readonly client_amount: string;
  readonly passengers: readonly { readonly id: string }[];
}

async function post(
  sample: BookingRow,
  { first, last, clients, seconds, grouped }: Postings,
): Promise<Posted> {
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1_000;
  let count = 0;
  const client = async () => {
    while (performance.now() < endMs) {
      const newId = identifierBatch();
      const booking = {
        ...sample,
        id: newId('ord'),
        wallet_id: first + Math.floor(Math.random() * (last - first + 1)),
        booking_reference: await newReference(platform.sequelize),
        debit_id: newId('txn'),
        created_at: platform.clock.now(),
      };
      if (grouped) await postBooking(booking, null, platform);
      else await postAlone({ booking, key: null }, platform);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { count, seconds: (performance.now() - startedMs) / 1_000 };
}

const sample = await template();

createServer(async (request, response) => {
  try {
    if (request.url === '/ready') return response.end('ready');
    if (request.method === 'GET') return response.end(JSON.stringify(sample));
    response.end(JSON.stringify(await post(sample, JSON.parse(await text(request)) as Postings)));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}).listen(Number(PORT), '127.0.0.1');
