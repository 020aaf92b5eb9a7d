import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deliveryHeaders } from '../../rest/eventDocs.ts';
import { serviceSignature } from '../../src/infrastructure/webhooks/signature.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { ReceivedRequest } from '../harness/receiver.ts';
import { hourMs, TestClock } from '../harness/testClock.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

const fields = '{ id description headerNames updatedAt }';
const declared = '$description: String, $headers: [WebhookHeaderInput!]';
const documents = {
  create: `mutation ($url: WebhookUrl!, ${declared}) {
    outcome: createWebhook(url: $url, events: ["wallet.debit"], description: $description, headers: $headers) {
      id description headerNames secret
    }
  }`,
  update: `mutation ($id: String!, ${declared}) {
    outcome: updateWebhook(id: $id, description: $description, headers: $headers) ${fields}
  }`,
  read: `query ($id: String!) { outcome: webhook(id: $id) ${fields} }`,
  remove: 'mutation ($id: String!) { outcome: deleteWebhook(id: $id) { deleted } }',
  rotate: 'mutation ($id: String!) { outcome: rotateWebhookSecret(id: $id) { id secret } }',
};

/** Names of those that the documentation has, and whether they are on every delivery. */
const documented = new Map(
  Object.values(deliveryHeaders as Record<string, { name: string; required: boolean }>).map(
    ({ name, required }) => [name.toLowerCase(), required],
  ),
);

describeEngines('secrets and headers of a webhook', (engine) => {
  const clock = new TestClock();
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { clock });
  });
  afterAll(() => world?.close());
  beforeEach(() => clock.reset());

  const ask = (name: keyof typeof documents, key: string, variables: object) =>
    world.server.graphql(documents[name], variables, key);
  async function does(name: keyof typeof documents, key: string, variables: object): Promise<Json> {
    const { body } = await ask(name, key, variables);
    expect(body.errors).toBeUndefined();
    return body.data.outcome;
  }
  async function refusal(name: keyof typeof documents, key: string, variables: object): Promise<Json> {
    const [error] = (await ask(name, key, variables)).body.errors ?? [];
    return { message: error?.message, code: error?.extensions.code, field: error?.extensions.details.field };
  }

  /** A webhook of a new team, and what delivers an event to it and gives the request. */
  async function created(path: string, input: object = {}) {
    const { key, tenant } = await world.team();
    const webhook = await does('create', key, { url: world.receiver.url(path), ...input });
    const deliver = async (): Promise<ReceivedRequest> => {
      const eventId = await world.happens(tenant);
      return eventually(() =>
        world.received(path).find(({ headers }) => headers['x-service-event-id'] === eventId),
      );
    };
    return { key, deliver, id: webhook.id as string, secret: webhook.secret as string, webhook };
  }

  /** Checks that a request is signed with these secrets and no others, the first of them being the present one. */
  function expectSigned({ headers, body }: ReceivedRequest, secrets: string[]): void {
    const seconds = Number(headers['x-service-timestamp']);
    const [present, ...earlier] = secrets.map((secret) => serviceSignature(secret, seconds, body));
    expect(headers['x-service-signature']).toBe(present);
    expect(headers['x-service-signature-previous']?.split(', ') ?? []).toEqual(earlier);
    const standard = secrets.map((secret) =>
      new Verifier(secret).sign(headers['webhook-id']!, new Date(seconds * 1_000), body.toString()),
    );
    expect(headers['webhook-signature']).toBe(standard.join(' '));
    const sent = Object.keys(headers).filter((name) => /^(x-service|webhook)-/.test(name));
    expect(sent.filter((name) => !documented.has(name))).toEqual([]);
    expect([...documented].filter(([name, required]) => required && !sent.includes(name))).toEqual([]);
  }

  describe('a rotated secret', () => {
    it('signs next to the new one for 24 hours, and then no more', async () => {
      const { key, id, deliver, secret } = await created('/rotated');
      expectSigned(await deliver(), [secret]);
      clock.advance(hourMs);
      const next = await does('rotate', key, { id });
      expect(next.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect((await does('read', key, { id })).updatedAt).toBe(clock.now().toISOString());
      expect(next.secret).not.toBe(secret);
      expectSigned(await deliver(), [next.secret, secret]);
      clock.advance(24 * hourMs - 1);
      expectSigned(await deliver(), [next.secret, secret]);
      clock.advance(1);
      expectSigned(await deliver(), [next.secret]);
    });

    it('keeps its 24 hours when it is rotated again in the meantime', async () => {
      const { key, id, deliver, secret: first } = await created('/rotated-twice');
      const { secret: second } = await does('rotate', key, { id });
      clock.advance(10 * hourMs);
      const { secret: third } = await does('rotate', key, { id });
      expectSigned(await deliver(), [third, second, first]);
      clock.advance(14 * hourMs - 1);
      expectSigned(await deliver(), [third, second, first]);
      clock.advance(1);
      expectSigned(await deliver(), [third, second]);
      clock.advance(10 * hourMs - 1);
      expectSigned(await deliver(), [third, second]);
      clock.advance(1);
      expectSigned(await deliver(), [third]);
    });

    it('is replaced by one of several requests at once, and each that succeeds shows the secret that signs', async () => {
      const { key, id, deliver, secret } = await created('/rotated-at-once');
      const answers = await Promise.all(Array.from({ length: 4 }, () => ask('rotate', key, { id })));
      const shown = answers.flatMap(({ body }) => (body.errors ? [] : [body.data.outcome.secret as string]));
      expect(shown.length).toBeGreaterThan(0);
      const { headers, body } = await deliver();
      const seconds = Number(headers['x-service-timestamp']);
      const used = [
        headers['x-service-signature'],
        ...(headers['x-service-signature-previous'] ?? '').split(', '),
      ];
      const expected = [...shown, secret].map((one) => serviceSignature(one, seconds, body));
      expect([...used].sort()).toEqual(expected.sort());
      for (const answer of answers) {
        for (const { message, extensions } of answer.body.errors ?? []) {
          expect({ message, code: extensions.code }).toEqual({
            message: 'Webhook secret was rotated at the same time',
            code: 'VALIDATION_ERROR',
          });
        }
      }
    });

    it('is not replaced while twenty sign, until one of them signs no more', async () => {
      const { key, id, deliver, secret } = await created('/rotated-often');
      const secrets = [secret];
      clock.advance(hourMs);
      while (secrets.length < 20) {
        secrets.unshift((await does('rotate', key, { id })).secret);
        clock.advance(1);
      }
      expect(await refusal('rotate', key, { id })).toEqual({
        message: 'Webhook secret was rotated too often',
        code: 'VALIDATION_ERROR',
        field: 'id',
      });
      expectSigned(await deliver(), secrets);
      clock.advance(24 * hourMs - 19);
      secrets.unshift((await does('rotate', key, { id })).secret);
      expectSigned(await deliver(), secrets.slice(0, 20));
    });

    it('is each team’s and mode’s own affair', async () => {
      const { id, deliver, secret } = await created('/rotated-not');
      const { key: stranger } = await world.team();
      expect(await refusal('rotate', stranger, { id })).toMatchObject({ message: 'Webhook not found' });
      expectSigned(await deliver(), [secret]);
    });
  });

  describe('headers', () => {
    const token = { name: 'X-Agency-Token', value: 'p4ssw0rd-of-the-receiver' };

    it('are sent with every delivery, and their values are shown to nobody', async () => {
      const headers = [token, { name: 'X-Empty', value: '' }];
      const { key, id, deliver, webhook } = await created('/headers', { headers });
      expect(webhook.headerNames).toEqual(['X-Agency-Token', 'X-Empty']);
      const request = await deliver();
      expect(request.headers).toMatchObject({ 'x-agency-token': token.value, 'x-empty': '', accept: '*/*' });
      const rows = await world.server.query('SELECT * FROM webhooks WHERE id = $1', [id]);
      const texts = [
        JSON.stringify(rows),
        JSON.stringify(await does('read', key, { id })),
        world.server.logLines.join('\n'),
      ];
      for (const text of texts) expect(text).not.toContain(token.value);
    });

    it('say alone what kind of answer is taken, where they say so', async () => {
      const headers = [{ name: 'Accept', value: 'application/vnd.agency.v2+json' }];
      const { deliver } = await created('/headers-of-kind', { headers });
      expect((await deliver()).headers.accept).toBe('application/vnd.agency.v2+json');
    });

    it('are replaced as a whole, or left', async () => {
      const { key, id, deliver } = await created('/headers-changed', { headers: [token] });
      const other = { name: 'X-Other', value: 'two' };
      expect((await does('update', key, { id, description: 'left' })).headerNames).toEqual([token.name]);
      expect((await does('update', key, { id, headers: [other] })).headerNames).toEqual(['X-Other']);
      const { headers } = await deliver();
      expect(headers['x-other']).toBe('two');
      expect(headers).not.toHaveProperty('x-agency-token');
      expect((await does('update', key, { id, headers: [] })).headerNames).toEqual([]);
      expect((await deliver()).headers).not.toHaveProperty('x-other');
    });

    it('are as many and as long as they may be', async () => {
      const { key, id } = await created('/headers-at-the-limits');
      const many = Array.from({ length: 20 }, (_, n) => ({ name: `X-${n}`, value: '' }));
      const headers = [{ name: 'X-Long', value: 'a'.repeat(1_024 - 'X-Long'.length) }, ...many.slice(1)];
      expect((await does('update', key, { id, headers })).headerNames).toHaveLength(20);
    });

    it.each([
      ['left as null', null, [['headers', 'invalid']]],
      [
        'too many and repeated',
        Array.from({ length: 21 }, () => token),
        [
          ['headers', 'too_many'],
          ['headers', 'repeated'],
        ],
      ],
      [
        'more bad ones than there may be',
        Array.from({ length: 25 }, (_, n) => ({ name: `X ${n}`, value: '' })),
        [...Array.from({ length: 20 }, (_, n) => [`headers.${n}`, 'invalid']), ['headers', 'too_many']],
      ],
    ])('are refused with each of their faults: %s', async (_what, headers, faults) => {
      const { key, id } = await created(`/headers-faults-${_what.replaceAll(' ', '-')}`, {
        headers: [token],
      });
      const [error] = (await ask('update', key, { id, headers })).body.errors ?? [];
      const { field, type, errors = [{ field, type }] } = error?.extensions.details ?? {};
      expect(errors.map((fault: Json) => [fault.field, fault.type])).toEqual(faults);
      expect((await does('read', key, { id })).headerNames).toEqual([token.name]);
    });

    it.each([
      ['one that the sender sets', [{ name: 'Content-Length', value: '1' }], 'headers.0'],
      ['one of the signature', [token, { name: 'x-service-signature', value: '0' }], 'headers.1'],
      ['one of Standard Webhooks', [{ name: 'Webhook-Id', value: '0' }], 'headers.0'],
      ['a second line', [{ name: 'X-A', value: 'a\r\nX-B: b' }], 'headers.0'],
      ['a name with a space', [{ name: 'X A', value: 'a' }], 'headers.0'],
      ['a name twice', [token, { ...token, name: 'x-agency-token' }], 'headers'],
      ['too long a value', [{ name: 'X-A', value: 'a'.repeat(1_022) }], 'headers.0'],
      ['too many', Array.from({ length: 21 }, (_, n) => ({ name: `X-${n}`, value: '' })), 'headers'],
    ])('refuse %s', async (_what, headers, field) => {
      const { key, id } = await created(`/headers-refused-${_what.replaceAll(' ', '-')}`);
      const refused = { message: 'Invalid request parameters', code: 'VALIDATION_ERROR', field };
      expect(await refusal('update', key, { id, headers })).toEqual(refused);
      const url = world.receiver.url('/headers-refused');
      expect(await refusal('create', key, { url, headers })).toEqual(refused);
      expect((await does('read', key, { id })).headerNames).toEqual([]);
    });
  });

  it('are not kept of one that is removed', async () => {
    const headers = Array.from({ length: 20 }, (_, n) => ({ name: `X-A${n}`, value: 'a'.repeat(1_000) }));
    const { key, id } = await created('/removed', { headers });
    await does('rotate', key, { id });
    const { vault } = world.server.running.gateway.platform;
    const kept = async () => {
      const [row] = await world.server.query<{ headers: string | null; secrets: string | null }>(
        'SELECT sealed_headers AS headers, sealed_secrets AS secrets FROM webhooks WHERE id = $1',
        [id],
      );
      return [row!.headers, row!.secrets].map((sealed) => sealed && JSON.parse(vault.open(sealed)).length);
    };
    expect(await kept()).toEqual([20, 2]);
    await does('remove', key, { id });
    expect(await kept()).toEqual([null, null]);
  });

  it('has a description that can be changed, left and taken away', async () => {
    const { key, id, webhook } = await created('/described', { description: 'Integração 📦' });
    expect(webhook.description).toBe('Integração 📦');
    expect((await does('update', key, { id })).description).toBe('Integração 📦');
    expect((await does('update', key, { id, description: 'Other' })).description).toBe('Other');
    const longest = 'x'.repeat(500);
    expect((await does('update', key, { id, description: longest })).description).toBe(longest);
    expect((await does('update', key, { id, description: null })).description).toBeNull();
    const refused = { code: 'VALIDATION_ERROR', field: 'description' };
    for (const description of ['x'.repeat(501), 'left\u0000right', 'left\ud800right']) {
      expect(await refusal('update', key, { id, description })).toMatchObject(refused);
      const url = world.receiver.url('/not-described');
      expect(await refusal('create', key, { url, description })).toMatchObject(refused);
    }
  });
});
