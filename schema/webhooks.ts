import { Arg, Ctx, Field, Float, InputType, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { tenantOf } from '../src/domain/admission.ts';
import type { EventType as EventTypeName } from '../src/domain/events/catalogue.ts';
import { largestCount, paginationOf, rowsOf } from '../src/domain/pagination.ts';
import type { Platform } from '../src/domain/platform.ts';
import { findWebhook, listWebhooks } from '../src/domain/webhooks/reading.ts';
import { deleteWebhook, prepareWebhook, updateWebhook } from '../src/domain/webhooks/registration.ts';
import {
  changeChecks,
  checkDescription,
  checkEvents,
  checkHeaders,
} from '../src/domain/webhooks/registrationChecks.ts';
import { rotateWebhookSecret } from '../src/domain/webhooks/secretRotation.ts';
import type { WebhookRow } from '../src/domain/webhooks/webhook.ts';
import { openHeaders, successRate } from '../src/domain/webhooks/webhook.ts';
import { checkWebhookUrl } from '../src/domain/webhooks/webhookUrl.ts';
import { Checks } from './argumentChecks.ts';
import { BoundedArguments } from './bounds.ts';
import { Operation, type Prepared, prepared } from './operation.ts';
import { LimitArg, PageArg, Pagination } from './pagination.ts';
import { DateTime, EventType, WebhookUrl } from './scalars.ts';

@ObjectType({ description: 'A URL that gets signed notifications of events.', simpleResolvers: true })
export class Webhook {
  @Field(() => String, { description: 'Unique id, prefix wh_.' })
  declare id: string;

  @Field(() => WebhookUrl, { description: 'Receiving URL (HTTPS).' })
  declare url: string;

  @Field(() => [EventType], { description: 'Subscribed event types.' })
  declare events: string[];

  @Field(() => Boolean, { description: 'Whether events are delivered to it.' })
  declare active: boolean;

  @Field(() => String, { nullable: true, description: 'Description given by the team.' })
  declare description: string | null;

  @Field(() => [String], { description: 'Names of the headers that the team adds to deliveries.' })
  declare headerNames: string[];

  @Field(() => DateTime, { description: 'Creation time.' })
  declare createdAt: string;

  @Field(() => DateTime, { description: 'Time of the last change.' })
  declare updatedAt: string;

  @Field(() => DateTime, { nullable: true, description: 'Last attempt; null before the first.' })
  declare lastTriggeredAt: string | null;

  @Field(() => Float, { description: 'Percent of attempts that succeeded; 100 before the first.' })
  declare successRate: number;

  @Field(() => Int, { description: 'Attempts made.' })
  declare totalDeliveries: number;

  @Field(() => Int, { description: 'Attempts that failed.' })
  declare failedDeliveries: number;
}

@ObjectType({ description: 'A webhook with its signing secret, shown only here.', simpleResolvers: true })
export class IssuedWebhook extends Webhook {
  @Field(() => String, { description: 'Secret that deliveries are signed with: whsec_…' })
  declare secret: string;
}

@ObjectType({ description: 'A page of webhooks, newest first.', simpleResolvers: true })
export class WebhookList {
  @Field(() => [Webhook], { description: 'The webhooks of the page.' })
  declare items: Webhook[];

  @Field(() => Pagination, { description: 'Number of the page, and the totals.' })
  declare pagination: Pagination;
}

@ObjectType({ description: 'A webhook that was removed.', simpleResolvers: true })
export class DeletedWebhook {
  @Field(() => String, { description: 'Id of the webhook, prefix wh_.' })
  declare id: string;

  @Field(() => Boolean, { description: 'Always true.' })
  declare deleted: boolean;
}

@InputType({
  description: 'A header that is added to deliveries. Its value is kept encrypted and never shown.',
})
export class WebhookHeaderInput {
  @Field(() => String, { description: 'Name of the header.' })
  declare name: string;

  @Field(() => String, { description: 'Value of the header.' })
  declare value: string;
}

function toWebhook(row: WebhookRow, { vault }: Platform): Webhook {
  const total = Number(row.total_deliveries);
  const failed = Number(row.failed_deliveries);
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    active: row.active,
    description: row.description,
    headerNames: openHeaders(row.sealed_headers, vault).map(({ name }) => name),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    lastTriggeredAt: row.last_triggered_at?.toISOString() ?? null,
    successRate: successRate(total, failed),
    totalDeliveries: Math.min(total, largestCount),
    failedDeliveries: Math.min(failed, largestCount),
  };
}

@Resolver()
export class WebhookResolver {
  @Operation({ scope: 'webhooks:read' })
  @Query(() => WebhookList, { description: 'The team’s webhooks in the mode of the key, newest first.' })
  async webhooks(
    @Ctx() context: RequestContext,
    @PageArg() page: number,
    @LimitArg() limit: number,
  ): Promise<WebhookList> {
    const { platform } = context.gateway;
    const { webhooks, total } = await listWebhooks(tenantOf(context), rowsOf(page, limit), platform);
    return {
      items: webhooks.map((row) => toWebhook(row, platform)),
      pagination: paginationOf(page, limit, total),
    };
  }

  @Operation({ scope: 'webhooks:read' })
  @Query(() => Webhook, { description: 'One webhook of the team.' })
  async webhook(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix wh_.' }) id: string,
  ): Promise<Webhook> {
    const { platform } = context.gateway;
    return toWebhook(await findWebhook(tenantOf(context), id, platform), platform);
  }

  @Operation({ scope: 'webhooks:write', creation: 'secret' })
  @Checks({
    url: (url: string, _others, platform) => checkWebhookUrl(url, platform),
    events: checkEvents,
    description: checkDescription,
    headers: (headers: WebhookHeaderInput[] | null) => checkHeaders(headers ?? []),
  })
  @BoundedArguments({ events: { minItems: 1 } })
  @Mutation(() => IssuedWebhook, {
    description: 'Registers a URL that must answer within the timeout; the secret is shown only now.',
  })
  async createWebhook(
    @Ctx() context: RequestContext,
    @Arg('url', () => WebhookUrl, { description: 'Receiving URL (HTTPS).' }) url: string,
    @Arg('events', () => [EventType], { description: 'Event types to subscribe to.' })
    events: EventTypeName[],
    @Arg('description', () => String, { nullable: true, description: 'Description given by the team.' })
    description?: string | null,
    @Arg('headers', () => [WebhookHeaderInput], {
      nullable: true,
      description: 'Headers to add to deliveries.',
    })
    headers?: WebhookHeaderInput[] | null,
  ): Promise<Prepared<IssuedWebhook>> {
    const { platform } = context.gateway;
    const request = { url, events, description: description ?? null, headers: headers ?? [] };
    const write = await prepareWebhook(tenantOf(context), request, platform);
    return prepared(async () => {
      const { webhook, secret } = await write();
      return { ...toWebhook(webhook, platform), secret };
    });
  }

  @Operation({ scope: 'webhooks:write' })
  @Checks({
    ...changeChecks,
    url: (url: string | null, _others, platform) => changeChecks.url(url, platform),
    description: checkDescription,
  })
  @BoundedArguments({ events: { minItems: 1 } })
  @Mutation(() => Webhook, {
    description: 'Changes what is given. Activating starts the count of failures from zero.',
  })
  async updateWebhook(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix wh_.' }) id: string,
    @Arg('url', () => WebhookUrl, { nullable: true, description: 'Receiving URL (HTTPS).' })
    url?: string | null,
    @Arg('events', () => [EventType], { nullable: true, description: 'Event types to subscribe to.' })
    events?: EventTypeName[] | null,
    @Arg('active', () => Boolean, { nullable: true, description: 'Whether events are delivered to it.' })
    active?: boolean | null,
    @Arg('description', () => String, { nullable: true, description: 'Description given by the team.' })
    description?: string | null,
    @Arg('headers', () => [WebhookHeaderInput], {
      nullable: true,
      description: 'Headers to add to deliveries, instead of those before.',
    })
    headers?: WebhookHeaderInput[] | null,
  ): Promise<Webhook> {
    const { platform } = context.gateway;
    const changes = { url, events, active, description, headers };
    return toWebhook(await updateWebhook(tenantOf(context), id, changes, platform), platform);
  }

  @Operation({ scope: 'webhooks:write' })
  @Mutation(() => DeletedWebhook, { description: 'Removes a webhook; nothing more is sent to it.' })
  async deleteWebhook(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix wh_.' }) id: string,
  ): Promise<DeletedWebhook> {
    return { id: await deleteWebhook(tenantOf(context), id, context.gateway.platform), deleted: true };
  }

  @Operation({ scope: 'webhooks:write' })
  @Mutation(() => IssuedWebhook, {
    description: 'Gives a webhook a new secret; the one before signs next to it for 24 hours.',
  })
  async rotateWebhookSecret(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix wh_.' }) id: string,
  ): Promise<IssuedWebhook> {
    const { platform } = context.gateway;
    const { webhook, secret } = await rotateWebhookSecret(tenantOf(context), id, platform);
    return { ...toWebhook(webhook, platform), secret };
  }
}
