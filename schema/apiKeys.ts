import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import type { ApiKey as ApiKeyModel, KeyKind } from '../src/domain/teams/apiKey.ts';
import type { KeyParts } from '../src/domain/teams/keys.ts';
import { apiKeyFaults, createApiKey, listApiKeys, revokeApiKey } from '../src/domain/teams/keys.ts';
import type { Scope } from '../src/domain/teams/scope.ts';
import { scopes as allScopes } from '../src/domain/teams/scope.ts';
import { ChecksOfParts } from './argumentChecks.ts';
import { enumType } from './enumType.ts';
import { Operation, type Prepared, prepared } from './operation.ts';
import { DateTime, KeyScope } from './scalars.ts';

const ApiKeyKind = enumType<KeyKind>({
  name: 'ApiKeyKind',
  description: 'What a key acts on.',
  values: {
    live: 'Real charges and bookings of one team.',
    test: 'The sandbox of one team.',
    operator: 'Teams and keys, for those who run the service.',
  },
});

@ObjectType({ description: 'A bearer key, without the key itself.', simpleResolvers: true })
export class ApiKey {
  @Field(() => String, { description: 'Unique id, prefix key_.' })
  declare id: string;

  @Field(() => String, { nullable: true, description: 'The team it acts for; null for operators’ keys.' })
  declare teamId: string | null;

  @Field(() => ApiKeyKind, { description: 'What the key acts on.' })
  declare kind: string;

  @Field(() => String, { description: 'Name given at creation.' })
  declare name: string;

  @Field(() => String, { description: 'Last four characters of the key.' })
  declare lastFour: string;

  @Field(() => [KeyScope], { description: 'What the key may do.' })
  declare scopes: string[];

  @Field(() => DateTime, { description: 'Creation time.' })
  declare createdAt: string;

  @Field(() => DateTime, { nullable: true, description: 'Revocation time; null while it works.' })
  declare revokedAt: string | null;
}

@ObjectType({ description: 'A new key. The key itself is shown only here.', simpleResolvers: true })
export class IssuedApiKey {
  @Field(() => ApiKey, { description: 'The key’s record.' })
  declare apiKey: ApiKey;

  @Field(() => String, { description: 'The bearer key.' })
  declare secret: string;
}

@InputType({ description: 'A new key.' })
export class CreateApiKeyInput {
  @Field(() => ApiKeyKind, { description: 'What the key acts on.' })
  declare kind: KeyKind;

  @Field(() => String, { nullable: true, description: 'The team it acts for; left out for operators’ keys.' })
  declare teamId?: string | null;

  @Field(() => String, { description: 'Name to recognise it by.' })
  declare name: string;

  @Field(() => [KeyScope], {
    nullable: true,
    description: `What it may do; all when left out: ${allScopes.join(', ')}.`,
  })
  declare scopes?: Scope[] | null;
}

function toApiKey(apiKey: ApiKeyModel): ApiKey {
  return {
    id: apiKey.id,
    teamId: apiKey.teamId,
    kind: apiKey.kind,
    name: apiKey.name,
    lastFour: apiKey.lastFour,
    scopes: apiKey.scopes,
    createdAt: apiKey.createdAt.toISOString(),
    revokedAt: apiKey.revokedAt?.toISOString() ?? null,
  };
}

@Resolver()
export class ApiKeyResolver {
  @Operation({ scope: 'operator' })
  @Query(() => [ApiKey], { description: 'Keys of a team, or the operators’ own, revoked ones included.' })
  async apiKeys(
    @Ctx() context: RequestContext,
    @Arg('teamId', () => String, { nullable: true, description: 'Left out for the operators’ own keys.' })
    teamId?: string | null,
  ): Promise<ApiKey[]> {
    return (await listApiKeys(teamId ?? null, context.gateway.platform)).map(toApiKey);
  }

  @Operation({ scope: 'operator', creation: 'secret' })
  @ChecksOfParts({
    input: (input: KeyParts) => apiKeyFaults({ ...input, teamId: input.teamId ?? null }),
  })
  @Mutation(() => IssuedApiKey, { description: 'Issues a key; event api_key.created.' })
  async createApiKey(
    @Ctx() context: RequestContext,
    @Arg('input', () => CreateApiKeyInput, { description: 'The key.' }) input: CreateApiKeyInput,
  ): Promise<Prepared<IssuedApiKey>> {
    const request = { ...input, teamId: input.teamId ?? null, scopes: input.scopes ?? null };
    return prepared(async () => {
      const { apiKey, secret } = await createApiKey(request, context.gateway.platform);
      return { apiKey: toApiKey(apiKey), secret };
    });
  }

  @Operation({ scope: 'operator' })
  @Mutation(() => ApiKey, { description: 'Revokes a key everywhere within a second; event api_key.revoked.' })
  async revokeApiKey(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix key_.' }) id: string,
  ): Promise<ApiKey> {
    return toApiKey(await revokeApiKey(id, context.gateway.platform));
  }
}
