import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { formatAmount } from '../src/domain/money.ts';
import { paginationOf, rowsOf } from '../src/domain/pagination.ts';
import { createTeam, findTeam, listTeams, teamFaults, updateTeam } from '../src/domain/teams/management.ts';
import { payerOf } from '../src/domain/teams/payer.ts';
import type { Team as TeamModel } from '../src/domain/teams/team.ts';
import type { Payer } from '../src/infrastructure/payments/provider.ts';
import { ChecksOfParts } from './argumentChecks.ts';
import { Operation, type Prepared, prepared } from './operation.ts';
import { LimitArg, PageArg, Pagination } from './pagination.ts';
import { PostalAddress, PostalAddressInput } from './postalAddress.ts';
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

  /** Opened only where they are asked for. */
  declare sealedTaxId: string | null;
  declare sealedAddress: string | null;

  /** Opened already, in what is kept with an Idempotency-Key: that is sealed as a whole. */
  declare payer?: Payer;

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

const addressDescription = 'Postal address of the payer of its boletos.';
const taxIdInput = 'CPF or CNPJ of the payer of its recharges, with or without punctuation.';

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

  @Field(() => String, { nullable: true, description: taxIdInput })
  declare taxId?: string | null;

  @Field(() => PostalAddressInput, { nullable: true, description: addressDescription })
  declare address?: PostalAddressInput | null;

  @Field(() => [String], {
    defaultValue: [],
    description: 'Browser origins, such as https://app.example.com.',
  })
  declare corsDomains: string[];
}

@InputType({
  description:
    'Changes to an agency; what is left out stays, and so does what is null, but for alertEmail, taxId and address.',
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

  @Field(() => String, { nullable: true, description: `${taxIdInput} Null removes it.` })
  declare taxId?: string | null;

  @Field(() => PostalAddressInput, {
    nullable: true,
    description: `${addressDescription} It takes the place of the whole one before; null removes it.`,
  })
  declare address?: PostalAddressInput | null;

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
    sealedTaxId: team.sealedTaxId,
    sealedAddress: team.sealedAddress,
    createdAt: team.createdAt.toISOString(),
    updatedAt: team.updatedAt.toISOString(),
  };
}

/**
 * The payer as it was sealed with the team. In an answer that the build before kept with an Idempotency-Key it stays under
 * the key of that day: once that is no longer listed, only the table has the payer, as it is by then. What is damaged in the
 * table itself fails there.
 */
async function payerOfTeam(team: Team, { gateway }: RequestContext): Promise<Payer> {
  const { platform } = gateway;
  const { vault } = platform;
  if (team.payer) return team.payer;
  try {
    return payerOf(team, vault);
  } catch {
    return payerOf(await findTeam(team.id, platform), vault);
  }
}

/** Members that are there: null clears where null is a value, and otherwise means "left out". */
function changesOf(input: UpdateTeamInput) {
  const { alertEmail, taxId, address, ...rest } = input;
  const given = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined && value !== null),
  );
  const clearable = Object.entries({ alertEmail, taxId, address }).filter(([, value]) => value !== undefined);
  return { ...given, ...Object.fromEntries(clearable) };
}

@Resolver(() => Team)
export class TeamResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description:
      'CPF, 11 digits, or CNPJ, 14 digits and capital letters, of the payer of its recharges; null when unknown.',
  })
  async taxId(@Root() team: Team, @Ctx() context: RequestContext): Promise<string | null> {
    return (await payerOfTeam(team, context)).taxId;
  }

  @FieldResolver(() => PostalAddress, {
    nullable: true,
    description: `${addressDescription} Null when unknown.`,
  })
  async address(@Root() team: Team, @Ctx() context: RequestContext): Promise<PostalAddress | null> {
    return (await payerOfTeam(team, context)).address;
  }

  @Operation({ scope: 'operator' })
  @Query(() => TeamList, { description: 'All agencies.' })
  async teams(
    @Ctx() context: RequestContext,
    @PageArg() page: number,
    @LimitArg() limit: number,
  ): Promise<TeamList> {
    const { teams, total } = await listTeams(rowsOf(page, limit), context.gateway.platform);
    return { items: teams.map(toTeam), pagination: paginationOf(page, limit, total) };
  }

  @Operation({ scope: 'operator' })
  @Query(() => Team, { description: 'One agency.' })
  async team(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix team_.' }) id: string,
  ): Promise<Team> {
    return toTeam(await findTeam(id, context.gateway.platform));
  }

  @Operation({ scope: 'operator', creation: 'secret' })
  @ChecksOfParts({ input: teamFaults })
  @Mutation(() => Team, { description: 'Creates an agency with its live and test wallets.' })
  async createTeam(
    @Ctx() context: RequestContext,
    @Arg('input', () => CreateTeamInput, { description: 'The agency.' }) input: CreateTeamInput,
  ): Promise<Prepared<Team>> {
    const { alertEmail = null, taxId = null, address = null } = input;
    const settings = { ...input, alertEmail, taxId, address };
    const { platform } = context.gateway;
    return prepared(async () => {
      const team = await createTeam(settings, platform);
      return { ...toTeam(team), payer: payerOf(team, platform.vault) };
    });
  }

  @Operation({ scope: 'operator' })
  @ChecksOfParts({ input: (input: UpdateTeamInput) => teamFaults(changesOf(input)) })
  @Mutation(() => Team, { description: 'Changes an agency’s settings.' })
  async updateTeam(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix team_.' }) id: string,
    @Arg('input', () => UpdateTeamInput, { description: 'The changes.' }) input: UpdateTeamInput,
  ): Promise<Team> {
    return toTeam(await updateTeam(id, changesOf(input), context.gateway.platform));
  }
}
