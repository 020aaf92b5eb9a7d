import type { Json } from '../harness/client.ts';
import type { DeliveryWorld } from './deliveryWorld.ts';

/** The operations around deliveries as clients send them. */

const attempt = '{ number startedAt durationMs statusCode reason detail responseExcerpt }';
const delivery = `{
  id webhookId eventId eventType isTest status createdAt attemptsMade nextAttemptAt lastStatusCode lastReason
}`;

const documents = {
  list: `query (
    $webhookId: String!, $limit: PageSize, $before: String, $status: [WebhookDeliveryStatus!], $eventType: [EventType!],
    $statusCode: Int, $since: DateTime, $until: DateTime
  ) {
    outcome: webhookDeliveries(
      webhookId: $webhookId, limit: $limit, before: $before, status: $status, eventType: $eventType,
      statusCode: $statusCode, since: $since, until: $until
    ) { items ${delivery} next }
  }`,
  listWithAttempts: `query ($webhookId: String!) {
    outcome: webhookDeliveries(webhookId: $webhookId) { items { id body attempts ${attempt} } next }
  }`,
  one: `query ($id: String!) { outcome: webhookDelivery(id: $id) ${delivery} }`,
  body: 'query ($id: String!) { outcome: webhookDelivery(id: $id) { id body attempts { number } } }',
  attempts: `query ($deliveryId: String!, $limit: PageSize, $before: Int) {
    outcome: webhookAttempts(deliveryId: $deliveryId, limit: $limit, before: $before) { items ${attempt} next }
  }`,
  sendTest: `mutation ($webhookId: String!, $type: EventType!) {
    outcome: sendTestEvent(webhookId: $webhookId, type: $type) ${delivery}
  }`,
  redeliver: `mutation ($id: String!) { outcome: redeliverWebhookDelivery(id: $id) ${delivery} }`,
  replay: `mutation ($webhookId: String!, $since: DateTime!) {
    outcome: replayWebhookDeliveries(webhookId: $webhookId, since: $since) { replayed }
  }`,
};

export type LogOperation = keyof typeof documents;

/** Asks as a client with a key; answers the value, or the refusal. */
export function deliveryLogOf(world: () => DeliveryWorld) {
  const ask = (name: LogOperation, key: string, variables: object, headers = {}) =>
    world().server.graphql(documents[name], variables, key, headers);
  return {
    ask,
    async read(name: LogOperation, key: string, variables: object): Promise<Json> {
      const { body } = await ask(name, key, variables);
      if (body.errors) throw new Error(JSON.stringify(body.errors));
      return body.data.outcome;
    },
    async refusal(name: LogOperation, key: string, variables: object): Promise<Json> {
      const { body } = await ask(name, key, variables);
      const [error] = body.errors ?? [];
      if (!error) throw new Error(`not refused: ${JSON.stringify(body.data)}`);
      const { code, details } = error.extensions;
      return { code, message: error.message, ...(details.field ? { field: details.field } : {}) };
    },
  };
}

export const refusals = {
  webhook: { code: 'NOT_FOUND', message: 'Webhook not found' },
  delivery: { code: 'NOT_FOUND', message: 'Webhook delivery not found' },
  inactive: { code: 'VALIDATION_ERROR', message: 'Webhook is inactive', field: 'active' },
  before: { code: 'VALIDATION_ERROR', message: 'Invalid request parameters', field: 'before' },
};
