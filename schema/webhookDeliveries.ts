import { Arg, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { forbidden, tenantOf } from '../src/domain/admission.ts';
import type { EventType as EventTypeName } from '../src/domain/events/catalogue.ts';
import { scopeOfEvent } from '../src/domain/events/visibility.ts';
import { attemptsOf, bodyOf, listAttempts, shownAttempts } from '../src/domain/webhooks/attemptLog.ts';
import type { DeliveryStatus } from '../src/domain/webhooks/delivery.ts';
import { findDelivery, listDeliveries } from '../src/domain/webhooks/deliveryLog.ts';
import { redeliverDelivery, replayDeliveries, sendTestEvent } from '../src/domain/webhooks/sendingAgain.ts';
import { Operation, type Prepared, prepared } from './operation.ts';
import { LimitArg } from './pagination.ts';
import { DateTime, EventType } from './scalars.ts';
import {
  toAttempt,
  toDelivery,
  WebhookAttempt,
  WebhookAttemptPage,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookDeliveryStatus,
  WebhookReplay,
} from './webhookDeliveryObjects.ts';

/** The first whole millisecond, as events have them, that is not before an instant. */
const dateFrom = (instant: string) =>
  new Date(Date.parse(instant) + (/\.\d{3}\d*[1-9]/.test(instant) ? 1 : 0));

const webhookIdDescription = 'Id of the webhook, prefix wh_.';
const deliveryIdDescription = 'Id of the delivery.';

@Resolver(() => WebhookDelivery)
export class WebhookDeliveryResolver {
  @FieldResolver(() => [WebhookAttempt], {
    description: `The latest ${shownAttempts} attempts, newest first; webhookAttempts has the others.`,
  })
  async attempts(
    @Root() delivery: WebhookDelivery,
    @Ctx() context: RequestContext,
  ): Promise<WebhookAttempt[]> {
    return (await attemptsOf(delivery.id, context.gateway.platform)).map(toAttempt);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'The body as it is sent, for keys that may read events of this type.',
  })
  async body(@Root() delivery: WebhookDelivery, @Ctx() context: RequestContext): Promise<string | null> {
    if (!context.caller.scopes.has(scopeOfEvent(delivery.eventType))) throw forbidden();
    return bodyOf(delivery.id, context.gateway.platform);
  }

  @Operation({ scope: 'webhooks:read' })
  @Query(() => WebhookDeliveryPage, {
    description: 'The log of what was sent and is to be sent to a webhook, newest first.',
  })
  async webhookDeliveries(
    @Ctx() context: RequestContext,
    @Arg('webhookId', () => String, { description: webhookIdDescription }) webhookId: string,
    @LimitArg() limit: number,
    @Arg('before', () => String, { nullable: true, description: '`next` of the page before this one.' })
    before?: string | null,
    @Arg('status', () => [WebhookDeliveryStatus], { nullable: true, description: 'Only in these states.' })
    status?: DeliveryStatus[] | null,
    @Arg('eventType', () => [EventType], { nullable: true, description: 'Only events of these types.' })
    eventType?: string[] | null,
    @Arg('statusCode', () => Int, {
      nullable: true,
      description: 'Only with an attempt that was answered with this status.',
    })
    statusCode?: number | null,
    @Arg('since', () => DateTime, { nullable: true, description: 'Only events from this moment on.' })
    since?: string | null,
    @Arg('until', () => DateTime, { nullable: true, description: 'Only events before this moment.' })
    until?: string | null,
  ): Promise<WebhookDeliveryPage> {
    const filter = {
      status: status ?? null,
      eventType: eventType ?? null,
      statusCode: statusCode ?? null,
      since: since ? dateFrom(since) : null,
      until: until ? dateFrom(until) : null,
    };
    const { platform } = context.gateway;
    const { deliveries, next } = await listDeliveries(
      tenantOf(context),
      webhookId,
      filter,
      { before: before ?? null, limit },
      platform,
    );
    return { items: deliveries.map((row) => toDelivery(row, platform)), next };
  }

  @Operation({ scope: 'webhooks:read' })
  @Query(() => WebhookDelivery, { description: 'One delivery.' })
  async webhookDelivery(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: deliveryIdDescription }) id: string,
  ): Promise<WebhookDelivery> {
    const { platform } = context.gateway;
    return toDelivery(await findDelivery(tenantOf(context), id, platform), platform);
  }

  @Operation({ scope: 'webhooks:read' })
  @Query(() => WebhookAttemptPage, { description: 'Attempts of a delivery, newest first.' })
  async webhookAttempts(
    @Ctx() context: RequestContext,
    @Arg('deliveryId', () => String, { description: deliveryIdDescription }) deliveryId: string,
    @LimitArg() limit: number,
    @Arg('before', () => Int, { nullable: true, description: '`next` of the page before this one.' })
    before?: number | null,
  ): Promise<WebhookAttemptPage> {
    const { attempts, next } = await listAttempts(
      tenantOf(context),
      deliveryId,
      { before: before ?? null, limit },
      context.gateway.platform,
    );
    return { items: attempts.map(toAttempt), next };
  }

  @Operation({ scope: 'webhooks:write', creation: 'plain' })
  @Mutation(() => WebhookDelivery, {
    description:
      'Sends an example of a type to one webhook, marked as a test event in `_meta`. It is tried once, never deactivates the webhook, and is logged and counted like any attempt.',
  })
  async sendTestEvent(
    @Ctx() context: RequestContext,
    @Arg('webhookId', () => String, { description: webhookIdDescription }) webhookId: string,
    @Arg('type', () => EventType, { description: 'Any type, subscribed to or not.' }) type: EventTypeName,
  ): Promise<Prepared<WebhookDelivery>> {
    const { platform } = context.gateway;
    return prepared(async () =>
      toDelivery(await sendTestEvent(tenantOf(context), webhookId, type, platform), platform),
    );
  }

  @Operation({ scope: 'webhooks:write' })
  @Mutation(() => WebhookDelivery, {
    description: 'Sends a delivery again, a delivered one too: a fresh round of attempts with the same body.',
  })
  async redeliverWebhookDelivery(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: deliveryIdDescription }) id: string,
  ): Promise<WebhookDelivery> {
    const { platform } = context.gateway;
    return toDelivery(await redeliverDelivery(tenantOf(context), id, platform), platform);
  }

  @Operation({ scope: 'webhooks:write' })
  @Mutation(() => WebhookReplay, {
    description:
      'Sends everything again that failed or was skipped since a moment, test events aside. Oldest first and in portions: a request that is cut off has sent a part, and asked again it sends the rest.',
  })
  async replayWebhookDeliveries(
    @Ctx() context: RequestContext,
    @Arg('webhookId', () => String, { description: webhookIdDescription }) webhookId: string,
    @Arg('since', () => DateTime, { description: 'Events from this time on.' }) since: string,
  ): Promise<WebhookReplay> {
    const { platform } = context.gateway;
    return { replayed: await replayDeliveries(tenantOf(context), webhookId, dateFrom(since), platform) };
  }
}
