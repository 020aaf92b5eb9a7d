import { Arg, Ctx, Field, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import type { Integration as DomainIntegration } from '../src/domain/integrations/integration.ts';
import {
  connectIntegration,
  disconnectIntegration,
  listIntegrations,
} from '../src/domain/integrations/switching.ts';
import type { Mode as DomainMode } from '../src/domain/tenant.ts';
import { enumType } from './enumType.ts';
import { Operation, type Prepared, prepared } from './operation.ts';
import { DateTime } from './scalars.ts';
import { Mode } from './tenant.ts';

const IntegrationKind = enumType<DomainIntegration['kind']>({
  name: 'IntegrationKind',
  description: 'What an integration is for.',
  values: {
    flight_supplier: 'Answers searches with offers.',
    payment_provider: 'Makes the charges that recharges are paid by.',
  },
});

@ObjectType({
  description: 'A flight supplier or payment provider of this deployment, as a team has it in a mode.',
  simpleResolvers: true,
})
export class Integration {
  @Field(() => String, { description: 'Team id, prefix team_.' })
  declare teamId: string;

  @Field(() => Mode, { description: 'Mode of the team that it is for.' })
  declare mode: string;

  @Field(() => IntegrationKind, { description: 'Flight supplier or payment provider.' })
  declare kind: string;

  @Field(() => String, { description: 'Its name in the settings.' })
  declare name: string;

  @Field(() => Boolean, { description: 'Whether it is asked for this team and mode; all are at first.' })
  declare connected: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it was switched last; null when it never was.',
  })
  declare updatedAt: string | null;
}

function toIntegration({ updatedAt, ...integration }: DomainIntegration): Integration {
  return { ...integration, updatedAt: updatedAt?.toISOString() ?? null };
}

const teamDescription = 'Id of the team, prefix team_.';
const modeDescription = 'Mode of the team.';
const kindDescription = 'Flight supplier or payment provider.';
const nameDescription = 'Its name in the settings, such as simulated.';

/** Who may ask whom is the operator's affair, as keys and prices are: an agency's lost key must not cut its funding. */
@Resolver()
export class IntegrationResolver {
  @Operation({ scope: 'operator' })
  @Query(() => [Integration], { description: 'The integrations of a team in a mode.' })
  async integrations(
    @Ctx() context: RequestContext,
    @Arg('teamId', () => String, { description: teamDescription }) teamId: string,
    @Arg('mode', () => Mode, { description: modeDescription }) mode: DomainMode,
  ): Promise<Integration[]> {
    return (await listIntegrations({ teamId, mode }, context.gateway.platform)).map(toIntegration);
  }

  @Operation({ scope: 'operator', creation: 'plain' })
  @Mutation(() => Integration, {
    description: 'Switches an integration on for a team and mode; event integration.connected.',
  })
  async connectIntegration(
    @Ctx() context: RequestContext,
    @Arg('teamId', () => String, { description: teamDescription }) teamId: string,
    @Arg('mode', () => Mode, { description: modeDescription }) mode: DomainMode,
    @Arg('kind', () => IntegrationKind, { description: kindDescription }) kind: DomainIntegration['kind'],
    @Arg('name', () => String, { description: nameDescription }) name: string,
  ): Promise<Prepared<Integration>> {
    const { platform } = context.gateway;
    return prepared(async () =>
      toIntegration(await connectIntegration({ teamId, mode }, { kind, name }, platform)),
    );
  }

  @Operation({ scope: 'operator' })
  @Mutation(() => Integration, {
    description:
      'Switches an integration off for a team and mode; event integration.disconnected. A supplier is not asked in searches any more and its offers cannot be booked, a payment provider refuses recharges; bookings and charges made before stay good.',
  })
  async disconnectIntegration(
    @Ctx() context: RequestContext,
    @Arg('teamId', () => String, { description: teamDescription }) teamId: string,
    @Arg('mode', () => Mode, { description: modeDescription }) mode: DomainMode,
    @Arg('kind', () => IntegrationKind, { description: kindDescription }) kind: DomainIntegration['kind'],
    @Arg('name', () => String, { description: nameDescription }) name: string,
  ): Promise<Integration> {
    const { platform } = context.gateway;
    return toIntegration(await disconnectIntegration({ teamId, mode }, { kind, name }, platform));
  }
}
