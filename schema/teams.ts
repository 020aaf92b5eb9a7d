import {
  Arg,
  Ctx,
  Field,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  registerEnumType,
} from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { formatAmount } from '../src/domain/money.ts';
import { defaultLimit, paginationOf } from '../src/domain/pagination.ts';
import type { ApiKey as ApiKeyModel, KeyKind } from '../src/domain/teams/apiKey.ts';
import type { KeyParts } from '../src/domain/teams/keys.ts';
import { createApiKey, keyFaults, listApiKeys, revokeApiKey } from '../src/domain/teams/keys.ts';
import { createTeam, findTeam, listTeams, teamFaults, updateTeam } from '../src/domain/teams/management.ts';
import type { Scope } from '../src/domain/teams/scope.ts';
import { scopes as allScopes } from '../src/domain/teams/scope.ts';
import type { Team as TeamModel } from '../src/domain/teams/team.ts';
import { ChecksOfParts } from './argumentChecks.ts';
import { inInput } from './inputFaults.ts';
import { Operation, prepared } from './operation.ts';
import { Pagination } from './pagination.ts';
import { Amount, DateTime, KeyScope, PageNumber, PageSize, Percent } from './scalars.ts';

export enum ApiKeyKind {
  live = 'live',
  test = 'test',
  operator = 'operator',
}
registerEnumType(ApiKeyKind, {
  name: 'ApiKeyKind',
  description: 'What a key acts on.',
  valuesConfig: {
    live: { description: 'Real charges and bookings of one team.' },
    test: { description: 'The sandbox of one team.' },
    operator: { description: 'Teams and keys, for those who run the service.' },
  },
});

@ObjectType({ description: 'An agency.', simpleResolvers: true })
export class Team {
  @Field(() => String, { description: 'Unique id, prefix team_.' })
  declare id: string;

  @Field(() => String, { description: 'Name, shown to payers.' })
  declare name: string;

  @Field(() => Percent, { description: 'Markup on the base cost of offers, in percent.' })
  declare markupPercent: string;

  @Field(() => Amount, { description: 'Fixed fee of each offer in BRL.' })
  declare feeAmount: string;

  @Field(() => String, { nullable: true, description: 'Where alerts are mailed.' })
  declare alertEmail: string | null;

  @Field(() => [String], { description: 'Browser origins that may call with the team’s keys.' })
  declare corsDomains: string[];

  @Field(() => DateTime, { description: 'Creation time.' })
  declare createdAt: string;

  @Field(() => DateTime, { description: 'Time of the last change.' })
  declare updatedAt: string;
}

@ObjectType({ description: 'A page of agencies, oldest first.', simpleResolvers: true })
export class TeamList {
  @Field(() => [Team], { description: 'The agencies of the page.' })
  declare items: Team[];

  @Field(() => Pagination, { description: 'Number of the page, and the totals.' })
  declare pagination: Pagination;
}

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

@InputType({ description: 'A new agency.' })
export class CreateTeamInput {
  @Field(() => String, { description: 'Name, shown to payers.' })
  declare name: string;

  @Field(() => Percent, {
    defaultValue: '0',
    description: 'Markup on the base cost of offers, 0 to 100 percent.',
  })
  declare markupPercent: string;

  @Field(() => Amount, { defaultValue: '0.00', description: 'Fixed fee of each offer in BRL.' })
  declare feeAmount: string;

  @Field(() => String, { nullable: true, description: 'Where alerts are mailed.' })
  declare alertEmail?: string | null;

  @Field(() => [String], {
    defaultValue: [],
    description: 'Browser origins, such as https://app.example.com.',
  })
  declare corsDomains: string[];
}

@InputType({
  description: 'Changes to an agency; what is left out stays, and so does what is null, but for alertEmail.',
})
export class UpdateTeamInput {
  @Field(() => String, { nullable: true, description: 'Name, shown to payers.' })
  declare name?: string | null;

  @Field(() => Percent, {
    nullable: true,
    description: 'Markup on the base cost of offers, 0 to 100 percent.',
  })
  declare markupPercent?: string | null;

  @Field(() => Amount, { nullable: true, description: 'Fixed fee of each offer in BRL.' })
  declare feeAmount?: string | null;

  @Field(() => String, { nullable: true, description: 'Where alerts are mailed; null when they are not.' })
  declare alertEmail?: string | null;

  @Field(() => [String], { nullable: true, description: 'Browser origins, such as https://app.example.com.' })
  declare corsDomains?: string[] | null;
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

/** A percentage without the zeros that say nothing: "7.5000" is "7.5", "100" stays. */
function shortest(percent: string): string {
  return percent.includes('.') ? percent.replace(/\.?0+$/, '') : percent;
}

function toTeam(team: TeamModel): Team {
  return {
    id: team.id,
    name: team.name,
    markupPercent: shortest(team.markupPercent),
    feeAmount: formatAmount(team.feeCents),
    alertEmail: team.alertEmail,
    corsDomains: team.corsDomains,
    createdAt: team.createdAt.toISOString(),
    updatedAt: team.updatedAt.toISOString(),
  };
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

/** Members that are there: null clears where null is a value, and otherwise means "left out". */
function changesOf(input: UpdateTeamInput) {
  const { alertEmail, ...rest } = input;
  const given = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined && value !== null),
  );
  return alertEmail === undefined ? given : { ...given, alertEmail };
}

@Resolver()
export class TeamResolver {
  @Operation({ scope: 'operator' })
  @Query(() => TeamList, { description: 'All agencies.' })
  async teams(
    @Arg('page', () => PageNumber, { defaultValue: 1, description: 'Page, from 1.' }) page: number,
    @Arg('limit', () => PageSize, { defaultValue: defaultLimit, description: 'Items per page, 1 to 100.' })
    limit: number,
  ): Promise<TeamList> {
    const { teams, total } = await listTeams({ offset: (page - 1) * limit, limit });
    return { items: teams.map(toTeam), pagination: paginationOf(page, limit, total) };
  }

  @Operation({ scope: 'operator' })
  @Query(() => Team, { description: 'One agency.' })
  async team(@Arg('id', () => String, { description: 'Id, prefix team_.' }) id: string): Promise<Team> {
    return toTeam(await findTeam(id));
  }

  @Operation({ scope: 'operator' })
  @Query(() => [ApiKey], { description: 'Keys of a team, or the operators’ own, revoked ones included.' })
  async apiKeys(
    @Arg('teamId', () => String, { nullable: true, description: 'Left out for the operators’ own keys.' })
    teamId?: string | null,
  ): Promise<ApiKey[]> {
    return (await listApiKeys(teamId ?? null)).map(toApiKey);
  }

  @Operation({ scope: 'operator', creation: 'plain' })
  @ChecksOfParts({ input: teamFaults })
  @Mutation(() => Team, { description: 'Creates an agency with its live and test wallets.' })
  async createTeam(
    @Ctx() context: RequestContext,
    @Arg('input', () => CreateTeamInput, { description: 'The agency.' }) input: CreateTeamInput,
  ): Promise<Team> {
    const settings = { ...input, alertEmail: input.alertEmail ?? null };
    return prepared(async () => toTeam(await inInput(() => createTeam(settings, context.gateway.platform))));
  }

  @Operation({ scope: 'operator' })
  @ChecksOfParts({ input: (input: UpdateTeamInput) => teamFaults(changesOf(input)) })
  @Mutation(() => Team, { description: 'Changes an agency’s settings.' })
  async updateTeam(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix team_.' }) id: string,
    @Arg('input', () => UpdateTeamInput, { description: 'The changes.' }) input: UpdateTeamInput,
  ): Promise<Team> {
    return toTeam(await inInput(() => updateTeam(id, changesOf(input), context.gateway.platform)));
  }

  @Operation({ scope: 'operator', creation: 'secret' })
  @ChecksOfParts({
    input: (input: KeyParts) => keyFaults({ ...input, teamId: input.teamId ?? null }),
  })
  @Mutation(() => IssuedApiKey, { description: 'Issues a key; event api_key.created.' })
  async createApiKey(
    @Ctx() context: RequestContext,
    @Arg('input', () => CreateApiKeyInput, { description: 'The key.' }) input: CreateApiKeyInput,
  ): Promise<IssuedApiKey> {
    const request = { ...input, teamId: input.teamId ?? null, scopes: input.scopes ?? null };
    return prepared(async () => {
      const { apiKey, secret } = await inInput(() => createApiKey(request, context.gateway.platform));
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
