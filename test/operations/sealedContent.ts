import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { serviceSignature } from '../../src/infrastructure/webhooks/signature.ts';
import { balancePayment, travellersOf } from '../bookings/bookingSteps.ts';
import { tenantOf } from '../harness/activity.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { Operator } from '../harness/operator.ts';
import type { DeliveryWorld } from '../webhooks/deliveryWorld.ts';

/** One of everything that is stored sealed, and how the doors show it. */

export const newEncryptionKey = () => randomBytes(32).toString('hex');

const payer = {
  taxId: '52998224725',
  address: {
    street: 'Rua da Praia',
    number: '10',
    complement: null,
    district: 'Centro',
    city: 'Porto Alegre',
    state: 'RS',
    postalCode: '90010000',
  },
};

const header = { name: 'X-Agency', value: 'Sol e Mar' };
const path = '/sealed';

export class SealedContent {
  readonly #world: DeliveryWorld;
  readonly #teamId: string;
  readonly #key: string;
  readonly #secret: string;
  readonly #webhookId: string;
  readonly #bookingId: string;
  readonly #answers: { body: Json; key: string; path: string; text: string }[];

  private constructor(
    world: DeliveryWorld,
    made: {
      teamId: string;
      key: string;
      webhook: Json;
      booking: Json;
      answers: { body: Json; key: string; path: string; text: string }[];
    },
  ) {
    this.#world = world;
    this.#teamId = made.teamId;
    this.#key = made.key;
    this.#secret = made.webhook.secret;
    this.#webhookId = made.webhook.id;
    this.#bookingId = made.booking.id;
    this.#answers = made.answers;
  }

  static async make(world: DeliveryWorld): Promise<SealedContent> {
    const { server } = world;
    const operator = new Operator(server);
    const team = await operator.does('createTeam', { input: { name: 'Sealed', ...payer } });
    const { secret: key } = await operator.does('createApiKey', {
      input: { kind: 'test', teamId: team.id, name: 'test' },
    });
    const answers: { body: Json; key: string; path: string; text: string }[] = [];
    /** With an Idempotency-Key: its answer is kept. */
    const post = async (at: string, body: Json): Promise<Json> => {
      const headers = { 'idempotency-key': `sealed ${answers.length}` };
      const answer = await server.rest('POST', at, { key, body, headers });
      expect([201, 200], answer.text).toContain(answer.status);
      expect(answer.body.errors).toBeUndefined();
      answers.push({ body, key, path: at, text: answer.text });
      return answer.body.data;
    };
    const query = `mutation ($url: WebhookUrl!, $headers: [WebhookHeaderInput!]) {
      createWebhook(url: $url, events: ["wallet.debit"], headers: $headers) { id secret }
    }`;
    const variables = { url: world.receiver.url(path), headers: [header] };
    const { createWebhook: webhook } = await post('/graphql', { query, variables });
    const departureDate = new Date(Date.now() + 40 * 24 * 3_600_000).toISOString().slice(0, 10);
    const found = await server.rest('POST', '/api/v1/flights/search', {
      key,
      body: {
        type: 'one_way',
        slices: [{ origin: 'GRU', destination: 'GIG', departureDate }],
        passengers: [{ type: 'adult', count: 1 }],
      },
    });
    const offer = found.body.offers.find(({ client_amount: price }: Json) => Number(price) < 2000);
    const booking = await post('/api/v1/bookings', {
      offerId: offer.id,
      type: 'instant',
      passengers: travellersOf(offer),
      payments: balancePayment(offer.client_amount),
    });
    const content = new SealedContent(world, { teamId: team.id, key, webhook, booking, answers });
    await eventually(async () => (await content.#booking()).eticket_url);
    return content;
  }

  async #booking(): Promise<Json> {
    const answer = await this.#world.server.rest('GET', `/api/v1/bookings/${this.#bookingId}`, {
      key: this.#key,
    });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data;
  }

  /** Path of the link to the e-ticket as it is given out now. */
  async ticketLink(): Promise<string> {
    const { pathname, search } = new URL((await this.#booking()).eticket_url);
    return pathname + search;
  }

  /** Status of the answer to a link's path. */
  async followed(link: string): Promise<number> {
    return (await fetch(this.#world.server.url + link)).status;
  }

  /** Everything sealed as it is read, all of which stays the same whatever the key. */
  async shown(): Promise<Json> {
    const { server } = this.#world;
    const { taxId, address } = await new Operator(server).does('team', { id: this.#teamId });
    const { eticket_url: _, ...booking } = await this.#booking();
    const { body } = await server.graphql(
      'query ($id: String!) { webhook(id: $id) { headerNames } }',
      { id: this.#webhookId },
      this.#key,
    );
    const replayed = [];
    for (const { body: asked, key, path: at, text } of this.#answers) {
      const headers = { 'idempotency-key': `sealed ${replayed.length}` };
      const again = await server.rest('POST', at, { key, body: asked, headers });
      expect(again.text).toBe(text);
      replayed.push(again.headers.get('idempotent-replayed'));
    }
    return { taxId, address, booking, headerNames: body.data?.webhook.headerNames, replayed };
  }

  /** Has an event delivered, and checks that it is signed and headed as it was with the first key. */
  async expectDelivered(): Promise<void> {
    const eventId = await this.#world.happens(await tenantOf(this.#world.server, this.#teamId, 'test'));
    const { headers, body } = await eventually(() =>
      this.#world.received(path).find((request) => request.headers['x-service-event-id'] === eventId),
    );
    const seconds = Number(headers['x-service-timestamp']);
    expect(headers['x-service-signature']).toBe(serviceSignature(this.#secret, seconds, body));
    expect(headers[header.name.toLowerCase()]).toBe(header.value);
  }

  /** That all of it is what was stored at first. */
  async expectWhole(before: Json): Promise<void> {
    const shown = await this.shown();
    expect(shown).toEqual(before);
    expect(shown).toMatchObject({ ...payer, headerNames: [header.name], replayed: ['true', 'true'] });
    expect(shown.booking.passengers[0].identity_document.type).toBe('cpf');
    await this.expectDelivered();
  }
}
