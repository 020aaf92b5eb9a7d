import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import type { CallOptions, Outcome } from '../doors/door.ts';
import { outcomeOf as graphqlOutcome } from '../doors/graphqlDoor.ts';
import { headersOf, queryOf, outcomeOf as restOutcome } from '../doors/restDoor.ts';
import type { Json } from '../harness/client.ts';
import { describeEngines, doorsOf } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { TestClock } from '../harness/testClock.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

type Key = string | null;

/** Management of webhooks, which both doors offer. */
export interface WebhookDoor {
  readonly name: 'REST' | 'GraphQL';
  create(key: Key, input: Json, options?: CallOptions): Promise<Outcome>;
  /** Data is `items` and `pagination`. */
  list(key: Key, page?: { page?: unknown; limit?: unknown }): Promise<Outcome>;
  update(key: Key, id: string, changes: Json): Promise<Outcome>;
  remove(key: Key, id: string): Promise<Outcome>;
}

const rest = (server: () => TestServer): WebhookDoor => {
  const call = async (method: string, path: string, key: Key, options: CallOptions = {}, body?: Json) =>
    server().rest(method, `/api/v1/webhooks${path}`, { key, body, headers: headersOf(options) });
  return {
    name: 'REST',
    create: async (key, input, options) => restOutcome(await call('POST', '', key, options, input)),
    async list(key, page = {}) {
      const answer = await call('GET', queryOf(page), key);
      const outcome = restOutcome(answer);
      const { data: items, pagination } = answer.body;
      return outcome.ok ? { ...outcome, data: { items, pagination } } : outcome;
    },
    update: async (key, id, changes) => restOutcome(await call('PUT', `/${id}`, key, {}, changes)),
    remove: async (key, id) => restOutcome(await call('DELETE', `/${id}`, key)),
  };
};

const documents = {
  create: `mutation ($url: WebhookUrl!, $events: [EventType!]!) {
    outcome: createWebhook(url: $url, events: $events) { id url events active secret }
  }`,
  list: `query ($page: PageNumber, $limit: PageSize) {
    outcome: webhooks(page: $page, limit: $limit) {
      items {
        id url events active created_at: createdAt last_triggered_at: lastTriggeredAt success_rate: successRate
        total_deliveries: totalDeliveries failed_deliveries: failedDeliveries
      }
      pagination { page limit total pages }
    }
  }`,
  update: `mutation ($id: String!, $url: WebhookUrl, $events: [EventType!], $active: Boolean) {
    outcome: updateWebhook(id: $id, url: $url, events: $events, active: $active) {
      id url events active updated_at: updatedAt
    }
  }`,
  remove: 'mutation ($id: String!) { outcome: deleteWebhook(id: $id) { id deleted } }',
};

const graphql = (server: () => TestServer): WebhookDoor => {
  const call = async (document: string, variables: object, key: Key, options: CallOptions = {}) =>
    graphqlOutcome(await server().graphql(document, variables, key, headersOf(options)));
  return {
    name: 'GraphQL',
    create: (key, input, options) => call(documents.create, input, key, options),
    list: (key, page = {}) => call(documents.list, page, key),
    update: (key, id, changes) => call(documents.update, { id, ...changes }, key),
    remove: (key, id) => call(documents.remove, { id }, key),
  };
};

export interface WebhookStage {
  readonly door: WebhookDoor;
  /** The one that `door` is not. */
  readonly otherDoor: WebhookDoor;
  readonly world: DeliveryWorld;
  /** The server's time; every test begins at the same instant. */
  readonly clock: TestClock;
}

/** The same behaviours through both doors, each on one of the engines; one server and receiver for each engine. */
export function describeWebhookDoors(title: string, tests: (stage: WebhookStage) => void): void {
  describeEngines(title, (engine) => {
    const clock = new TestClock();
    let world: DeliveryWorld;
    beforeAll(async () => {
      world = await DeliveryWorld.open(engine, { clock });
    });
    afterAll(() => world?.close());
    beforeEach(() => clock.reset());
    const one = rest(() => world.server);
    const other = graphql(() => world.server);
    for (const door of doorsOf(engine, [one, other])) {
      const otherDoor = door === one ? other : one;
      describe(`through ${door.name}`, () =>
        tests({
          door,
          otherDoor,
          clock,
          get world() {
            return world;
          },
        }));
    }
  });
}
