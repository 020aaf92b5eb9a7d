import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
  registerEnumType,
} from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { forbidden, tenantOf } from '../src/domain/admission.ts';
import type { EventType as EventTypeName } from '../src/domain/events/catalogue.ts';
import { scopeOfEvent } from '../src/domain/events/visibility.ts';
import { defaultLimit } from '../src/domain/pagination.ts';
import type { AttemptRow } from '../src/domain/webhooks/attemptLog.ts';
import { attemptsOf, bodyOf, listAttempts, shownAttempts } from '../src/domain/webhooks/attemptLog.ts';
import type { DeliveryRow, DeliveryStatus } from '../src/domain/webhooks/delivery.ts';
import { deliveryIdOf } from '../src/domain/webhooks/delivery.ts';
import { findDelivery, listDeliveries } from '../src/domain/webhooks/deliveryLog.ts';
import { redeliverDelivery, replayDeliveries, sendTestEvent } from '../src/domain/webhooks/sendingAgain.ts';
import { Operation, prepared } from './operation.ts';
import { DateTime, EventType, PageSize } from './scalars.ts';

export enum WebhookDeliveryStatus {
  pending = 'pending',
  delivered = 'delivered',
  failed = 'failed',
  skipped = 'skipped',
}
registerEnumType(WebhookDeliveryStatus, {
  name: 'WebhookDeliveryStatus',
  description: 'State of a delivery.',
  valuesConfig: {
    pending: { description: 'Being sent, or waiting for its next attempt.' },
    delivered: { description: 'Answered with a 2xx status in time.' },
    failed: { description: 'Every attempt of its last round failed.' },
    skipped: { description: 'Not sent, because the webhook was inactive.' },
  },
});

@ObjectType({ description: 'One request to a webhook, and what came of it.', simpleResolvers: true })
export class WebhookAttempt {
  @Field(() => Int, { description: 'From 1, over all rounds of the delivery.' })
  declare number: number;

  @Field(() => DateTime, { description: 'When it was sent.' })
  declare startedAt: string;

  @Field(() => Int, { description: 'Milliseconds until the status line, or until it failed.' })
  declare durationMs: number;

  @Field(() => Int, { nullable: true, description: 'Status of the answer; null when none came in time.' })
  declare statusCode: number | null;

  @Field(() => String, {
    description: 'What became of it in a word: ok, http_status, redirect, timeout, dns, …',
  })
  declare reason: string;

  @Field(() => String, { description: 'The same in a line for people.' })
  declare detail: string;

  @Field(() => String, { description: 'The first 4 KiB of the answer’s body as text.' })
  declare responseExcerpt: string;
}

@ObjectType({ description: 'An event on its way to a webhook.', simpleResolvers: true })
export class WebhookDelivery {
  /** Digits, for the fields that are read when they are asked for. */
  declare rowId: string;

  @Field(() => String, { description: 'Unique id: those of event and webhook, with a dot between.' })
  declare id: string;

  @Field(() => String, { description: 'Id of the webhook, prefix wh_.' })
  declare webhookId: string;

  @Field(() => String, { description: 'Id of the event, prefix evt_.' })
  declare eventId: string;

  @Field(() => EventType, { description: 'Type of the event.' })
  declare eventType: string;

  @Field(() => Boolean, { description: 'Whether it is a test event.' })
  declare isTest: boolean;

  @Field(() => WebhookDeliveryStatus, { description: 'State.' })
  declare status: string;

  @Field(() => DateTime, { description: 'Time of the event.' })
  declare createdAt: string;

  @Field(() => Int, { description: 'Attempts made so far.' })
  declare attemptsMade: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Since or from when it is to be sent; while pending.',
  })
  declare nextAttemptAt: string | null;

  @Field(() => Int, { nullable: true, description: 'Status that the last attempt was answered with.' })
  declare lastStatusCode: number | null;

  @Field(() => String, { nullable: true, description: 'What became of the last attempt, in a word.' })
  declare lastReason: string | null;
}

@ObjectType({ description: 'A page of a webhook’s deliveries, newest first.', simpleResolvers: true })
export class WebhookDeliveryPage {
  @Field(() => [WebhookDelivery], { description: 'The deliveries. Filters can leave a page short or empty.' })
  declare items: WebhookDelivery[];

  @Field(() => String, {
    nullable: true,
    description: 'Where the log goes on, to be passed as `before`; null at its end.',
  })
  declare next: string | null;
}

@ObjectType({ description: 'A page of a delivery’s attempts, newest first.', simpleResolvers: true })
export class WebhookAttemptPage {
  @Field(() => [WebhookAttempt], { description: 'The attempts.' })
  declare items: WebhookAttempt[];

  @Field(() => Int, { nullable: true, description: 'To be passed as `before` for more; null at the end.' })
  declare next: number | null;
}

@ObjectType({ description: 'What is sent again.', simpleResolvers: true })
export class WebhookReplay {
  @Field(() => Int, { description: 'How many deliveries are pending because of it.' })
  declare replayed: number;
}

function toDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    rowId: row.id,
    id: deliveryIdOf(row),
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.event_type,
    isTest: row.is_test,
    status: row.status,
    createdAt: row.created_at.toISOString(),
    attemptsMade: row.attempts_made,
    nextAttemptAt: row.status === 'pending' ? row.due_at.toISOString() : null,
    lastStatusCode: row.last_status_code,
    lastReason: row.last_reason,
  };
}

function toAttempt(row: AttemptRow): WebhookAttempt {
  return {
    number: row.number,
    startedAt: row.started_at.toISOString(),
    durationMs: row.duration_ms,
    statusCode: row.status_code,
    reason: row.reason,
    detail: row.detail,
    responseExcerpt: row.response_excerpt,
  };
}

const dateOf = (instant: string | null | undefined) => (instant ? new Date(instant) : null);

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
    return (await attemptsOf(delivery.rowId, context.gateway.platform)).map(toAttempt);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'The body as it is sent, for keys that may read events of this type.',
  })
  async body(@Root() delivery: WebhookDelivery, @Ctx() context: RequestContext): Promise<string | null> {
    if (!context.caller.scopes.has(scopeOfEvent(delivery.eventType))) throw forbidden();
    return bodyOf(delivery.rowId, context.gateway.platform);
  }

  @Operation({ scope: 'webhooks:read' })
  @Query(() => WebhookDeliveryPage, { description: 'What was and is to be sent to a webhook, newest first.' })
  async webhookDeliveries(
    @Ctx() context: RequestContext,
    @Arg('webhookId', () => String, { description: webhookIdDescription }) webhookId: string,
    @Arg('limit', () => PageSize, { defaultValue: defaultLimit, description: 'Items per page, 1 to 100.' })
    limit: number,
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
      since: dateOf(since),
      until: dateOf(until),
    };
    const { deliveries, next } = await listDeliveries(
      tenantOf(context),
      webhookId,
      filter,
      { before: before ?? null, limit },
      context.gateway.platform,
    );
    return { items: deliveries.map(toDelivery), next };
  }

  @Operation({ scope: 'webhooks:read' })
  @Query(() => WebhookDelivery, { description: 'One delivery.' })
  async webhookDelivery(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: deliveryIdDescription }) id: string,
  ): Promise<WebhookDelivery> {
    return toDelivery(await findDelivery(tenantOf(context), id, context.gateway.platform));
  }

  @Operation({ scope: 'webhooks:read' })
  @Query(() => WebhookAttemptPage, { description: 'Attempts of a delivery, newest first.' })
  async webhookAttempts(
    @Ctx() context: RequestContext,
    @Arg('deliveryId', () => String, { description: deliveryIdDescription }) deliveryId: string,
    @Arg('limit', () => PageSize, { defaultValue: defaultLimit, description: 'Items per page, 1 to 100.' })
    limit: number,
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
  ): Promise<WebhookDelivery> {
    const { platform } = context.gateway;
    return prepared(async () =>
      toDelivery(await sendTestEvent(tenantOf(context), webhookId, type, platform)),
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
    return toDelivery(await redeliverDelivery(tenantOf(context), id, context.gateway.platform));
  }

  @Operation({ scope: 'webhooks:write' })
  @Mutation(() => WebhookReplay, {
    description: 'Sends everything again that failed or was skipped since a moment, test events aside.',
  })
  async replayWebhookDeliveries(
    @Ctx() context: RequestContext,
    @Arg('webhookId', () => String, { description: webhookIdDescription }) webhookId: string,
    @Arg('since', () => DateTime, { description: 'Time of the first event.' }) since: string,
  ): Promise<WebhookReplay> {
    const { platform } = context.gateway;
    return { replayed: await replayDeliveries(tenantOf(context), webhookId, new Date(since), platform) };
  }
}
