import { Field, Int, ObjectType } from 'type-graphql';
import type { Platform } from '../src/domain/platform.ts';
import type { AttemptRow } from '../src/domain/webhooks/attemptLog.ts';
import type { DeliveryRow, DeliveryStatus } from '../src/domain/webhooks/delivery.ts';
import { deliveryIdOf, nextAttemptOf } from '../src/domain/webhooks/delivery.ts';
import { attemptReasons } from '../src/infrastructure/webhooks/outcome.ts';
import { enumType } from './enumType.ts';
import { DateTime, EventType } from './scalars.ts';

export const WebhookDeliveryStatus = enumType<DeliveryStatus>({
  name: 'WebhookDeliveryStatus',
  description: 'State of a delivery.',
  values: {
    pending: 'Being sent, or waiting for its next attempt.',
    delivered: 'Answered with a 2xx status in time.',
    failed: 'Every attempt of its last round failed.',
    skipped: 'Not sent, because the webhook was inactive.',
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
    description: `What came of it, in a word: ${attemptReasons.join(', ')}.`,
  })
  declare reason: string;

  @Field(() => String, { description: 'What came of it, in a line for people.' })
  declare detail: string;

  @Field(() => String, { description: 'The first 4 KiB of the answer’s body as text.' })
  declare responseExcerpt: string;
}

@ObjectType({ description: 'An event on its way to a webhook.', simpleResolvers: true })
export class WebhookDelivery {
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

  @Field(() => WebhookDeliveryStatus, { description: 'State of the delivery.' })
  declare status: string;

  @Field(() => DateTime, { description: 'Time of the event.' })
  declare createdAt: string;

  @Field(() => Int, { description: 'Attempts made so far.' })
  declare attemptsMade: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the next attempt is due; null unless pending.',
  })
  declare nextAttemptAt: string | null;

  @Field(() => Int, { nullable: true, description: 'Status that the last attempt was answered with.' })
  declare lastStatusCode: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'What came of the last attempt: its `reason`. Null before the first.',
  })
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

@ObjectType({ description: 'What a replay set going.', simpleResolvers: true })
export class WebhookReplay {
  @Field(() => Int, { description: 'How many deliveries are sent again.' })
  declare replayed: number;
}

/** A delivery in the shape of its GraphQL type. */
export function toDelivery(row: DeliveryRow, platform: Pick<Platform, 'settings'>): WebhookDelivery {
  return {
    id: deliveryIdOf(row),
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.event_type,
    isTest: row.is_test,
    status: row.status,
    createdAt: row.created_at.toISOString(),
    attemptsMade: row.attempts_made,
    nextAttemptAt: nextAttemptOf(row, platform)?.toISOString() ?? null,
    lastStatusCode: row.last_status_code,
    lastReason: row.last_reason,
  };
}

/** An attempt in the shape of its GraphQL type. */
export function toAttempt(row: AttemptRow): WebhookAttempt {
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
