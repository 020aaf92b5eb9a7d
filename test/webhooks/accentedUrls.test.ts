import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectRefusal } from '../doors/door.ts';
import { outcomeOf } from '../doors/restDoor.ts';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { DeliveryWorld } from './deliveryWorld.ts';
import { invalidUrl } from './managementSteps.ts';

/** Operations of a batch, URLs of an operation, and batches: far more in all than V8 takes to compile what judges them. */
const operations = 10;
const places = Array.from({ length: 29 }, (_, place) => place);
const batches = 60;

const query = `mutation (${places.map((place) => `$url${place}: WebhookUrl!`).join(', ')}, $events: [EventType!]!) {
  ${places.map((place) => `at${place}: createWebhook(url: $url${place}, events: $events) { id }`).join('\n')}
}`;

describeOneEngine('Once a process has judged thousands of URLs,', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    // Nothing is asked of a receiver, and so nothing remembered of its URL, before it is told of an event.
    world = await DeliveryWorld.open(engine, { settings: { WEBHOOK_REACHABILITY_CHECK: 'false' } });
  });
  afterAll(() => world?.close());

  /** Letters that name the same host as it has without them. */
  const accented = (path: string) => world.receiver.url(path, 'lºcªlhºst');

  /** Has URLs judged that are in order, in requests that are refused for their events. */
  async function judgeMany(key: string, url: string): Promise<void> {
    const urls = Object.fromEntries(places.map((place) => [`url${place}`, url]));
    const body = Array(operations).fill({ query, variables: { ...urls, events: ['none'] } });
    const fault = { field: 'events.0', type: 'invalid' };
    for (let batch = 0; batch < batches; batch += 1) {
      const answer = await world.server.rest('POST', '/graphql', { key, body });
      for (const { errors } of answer.body)
        expect(errors[0].extensions.details).toEqual({ ...fault, errors: [fault] });
    }
  }

  it('a webhook at a name with accented letters is still told of events', async () => {
    const { key, tenant } = await world.team();
    await world.register(key, '', accented('/told'));
    await judgeMany(key, world.receiver.url('/judged'));
    await world.happens(tenant);
    await eventually(() => world.received('/told').length > 0);
  });

  it('one is still registered and changed to such a name', async () => {
    const { key } = await world.team();
    await judgeMany(key, accented('/judged'));
    const id = await world.register(key, '', accented('/registered'));
    const url = accented('/changed');
    expect((await world.change(key, id, { url })).body.data).toMatchObject({ id, url });
  });

  it('letters that no name has are still refused as that', async () => {
    const { key } = await world.team();
    await judgeMany(key, world.receiver.url('/judged'));
    const body = { url: 'https://\u00c3\u0089.example/hooks', events: ['wallet.debit'] };
    expectRefusal(outcomeOf(await world.server.rest('POST', '/api/v1/webhooks', { key, body })), {
      ...invalidUrl,
      details: { field: 'url' },
    });
  });
});
