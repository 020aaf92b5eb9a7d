import 'reflect-metadata';
import { DirectiveLocation, GraphQLDirective, GraphQLSchema, isUnionType } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import { EventResolver } from './events.ts';
import { FlightResolver } from './flights.ts';
import { guardOperations } from './operation.ts';
import { RechargeResolver } from './recharges.ts';
import { TeamResolver } from './teams.ts';
import { WalletResolver } from './wallet.ts';
import { WebhookResolver } from './webhooks.ts';

/** For REST documents: the field is left out of the response when it is null ("present when…" in SPEC). */
const omitNull = new GraphQLDirective({
  name: 'omitNull',
  description: 'Leaves the field out of a REST response when it is null.',
  locations: [DirectiveLocation.FIELD],
});

/** Subscriptions bring their own iterators over the event table, so TypeGraphQL's engine is never asked. */
const noPubSub = {
  publish: () => undefined,
  subscribe: (): never => {
    throw new Error('subscriptions follow the event feed');
  },
};

/** The executable schema: one resolver class for each noun, each root operation guarded by its declared rules. */
export function buildGatewaySchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: [
      WalletResolver,
      RechargeResolver,
      FlightResolver,
      EventResolver,
      TeamResolver,
      WebhookResolver,
    ],
    validate: false,
    pubSub: noPubSub,
  });
  guardOperations(schema);
  resolveUnionsByName(schema);
  return new GraphQLSchema({ ...schema.toConfig(), directives: [...schema.getDirectives(), omitNull] });
}

/** Members of unions say which they are by `__typename`: compiled operations cannot wait for TypeGraphQL's answer. */
function resolveUnionsByName(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isUnionType(type)) type.resolveType = (value) => (value as { __typename: string }).__typename;
  }
}
