import {
  alreadyRegistered,
  notReachable,
  tooManyWebhooks,
  webhookNotFound,
} from '../../src/domain/webhooks/refusals.ts';
import { badValueMessages, validationError } from '../../src/errors.ts';
import { deletedWebhook, issuedWebhook, updatedWebhook, webhookList } from '../examples/webhooks.ts';
import type { Route } from '../route.ts';

const invalidUrl = validationError({ field: 'url', type: 'invalid' }, badValueMessages.url);
const invalidEvents = validationError({ field: 'events.0', type: 'invalid' }, badValueMessages.events);

export const webhookRoutes: readonly Route[] = [
  {
    name: 'listWebhooks',
    method: 'get',
    path: '/webhooks',
    status: 200,
    envelope: 'list',
    tag: 'Webhooks',
    summary: 'Webhooks of the team, newest first',
    answerExample: webhookList,
    document: `query ListWebhooks($page: PageNumber = 1, $limit: PageSize = 20) {
      webhooks(page: $page, limit: $limit) {
        data: items {
          id
          url
          events
          active
          created_at: createdAt
          last_triggered_at: lastTriggeredAt
          success_rate: successRate
          total_deliveries: totalDeliveries
          failed_deliveries: failedDeliveries
        }
        pagination { page limit total pages }
      }
    }`,
  },
  {
    name: 'createWebhook',
    method: 'post',
    path: '/webhooks',
    status: 201,
    envelope: 'data',
    tag: 'Webhooks',
    summary: 'Register a webhook; its secret is shown only in this response',
    answerName: 'CreatedWebhook',
    example: { url: issuedWebhook.url, events: issuedWebhook.events },
    answerExample: issuedWebhook,
    refusals: [invalidUrl, invalidEvents, alreadyRegistered(), tooManyWebhooks(), notReachable()],
    document: `mutation CreateWebhook($url: WebhookUrl!, $events: [EventType!]!) {
      createWebhook(url: $url, events: $events) { id url events active secret }
    }`,
  },
  {
    name: 'updateWebhook',
    method: 'put',
    path: '/webhooks/:id',
    status: 200,
    envelope: 'data',
    tag: 'Webhooks',
    summary: 'Change a webhook; what is left out stays',
    answerName: 'UpdatedWebhook',
    example: { url: updatedWebhook.url, events: updatedWebhook.events, active: updatedWebhook.active },
    answerExample: updatedWebhook,
    refusals: [invalidUrl, invalidEvents, webhookNotFound(), alreadyRegistered(), notReachable()],
    document: `mutation UpdateWebhook($id: String!, $url: WebhookUrl, $events: [EventType!], $active: Boolean) {
      updateWebhook(id: $id, url: $url, events: $events, active: $active) {
        id
        url
        events
        active
        updated_at: updatedAt
      }
    }`,
  },
  {
    name: 'deleteWebhook',
    method: 'delete',
    path: '/webhooks/:id',
    status: 200,
    envelope: 'data',
    tag: 'Webhooks',
    summary: 'Remove a webhook',
    refusals: [webhookNotFound()],
    answerExample: deletedWebhook,
    document: 'mutation DeleteWebhook($id: String!) { deleteWebhook(id: $id) { id deleted } }',
  },
];
