import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { formatAmount } from '../src/domain/money.ts';
import { paginationOf, rowsOf } from '../src/domain/pagination.ts';
import { createTeam, findTeam, listTeams, teamFaults, updateTeam } from '../src/domain/teams/management.ts';
import type { Team as TeamModel } from '../src/domain/teams/team.ts';
import { ChecksOfParts } from './argumentChecks.ts';
import { inInput } from './inputFaults.ts';
import { Operation, prepared } from './operation.ts';
import { LimitArg, PageArg, Pagination } from './pagination.ts';
import { Amount, DateTime, Percent } from './scalars.ts';

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
  async teams(@PageArg() page: number, @LimitArg() limit: number): Promise<TeamList> {
    const { teams, total } = await listTeams(rowsOf(page, limit));
    return { items: teams.map(toTeam), pagination: paginationOf(page, limit, total) };
  }

  @Operation({ scope: 'operator' })
  @Query(() => Team, { description: 'One agency.' })
  async team(@Arg('id', () => String, { description: 'Id, prefix team_.' }) id: string): Promise<Team> {
    return toTeam(await findTeam(id));
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
}
