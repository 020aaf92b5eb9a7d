import type { DeletedWebhook, IssuedWebhook, WebhookList } from '../../schema/webhooks.ts';
import { successRate } from '../../src/domain/webhooks/webhook.ts';

export const issuedWebhook: IssuedWebhook = {
  id: 'wh_01m7yj7r5sftv9b1m4p8e0x6wd',
  url: 'https://agency.example.com/hooks',
  events: ['wallet.recharge.completed', 'booking.ticketed'],
  active: true,
  description: null,
  headerNames: [],
  createdAt: '2026-11-20T12:10:00.000Z',
  updatedAt: '2026-11-20T12:10:00.000Z',
  lastTriggeredAt: null,
  successRate: 100,
  totalDeliveries: 0,
  failedDeliveries: 0,
  secret: 'whsec_YW4gZXhhbXBsZSBvZiBhIHNlY3JldCwgMzIgYnl0ZXM=',
};

export const updatedWebhook: IssuedWebhook = {
  ...issuedWebhook,
  active: false,
  updatedAt: '2026-11-21T09:30:00.000Z',
};

export const webhookList: WebhookList = {
  items: [
    {
      ...issuedWebhook,
      lastTriggeredAt: '2026-11-21T08:15:42.307Z',
      successRate: successRate(80, 1),
      totalDeliveries: 80,
      failedDeliveries: 1,
    },
  ],
  pagination: { page: 1, limit: 20, total: 1, pages: 1 },
};

export const deletedWebhook: DeletedWebhook = { id: issuedWebhook.id, deleted: true };
