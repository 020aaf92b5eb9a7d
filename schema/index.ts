import 'reflect-metadata';
import { DirectiveLocation, GraphQLDirective, GraphQLSchema, getNullableType, isUnionType } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import type { OperationRules } from '../src/domain/admission.ts';
import { ApiKeyResolver } from './apiKeys.ts';
import { BookingResolver } from './bookings.ts';
import { tellBadValues } from './enumType.ts';
import { EventResolver } from './events.ts';
import { FlightResolver } from './flights.ts';
import { IntegrationResolver } from './integrations.ts';
import { declaredFieldsOf, guardOperations } from './operation.ts';
import { RechargeResolver } from './recharges.ts';
import { SupplierOrderResolver } from './supplierOrders.ts';
import { TeamResolver } from './teams.ts';
import { UnsettledPaymentResolver } from './unsettledPayments.ts';
import { WalletResolver } from './wallet.ts';
import { WebhookDeliveryResolver } from './webhookDeliveries.ts';
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

let built: GraphQLSchema | undefined;

/**
 * The executable schema: one resolver class for each noun, each root operation guarded by its declared rules. It knows
 * nothing of a gateway, and the servers of one process share it.
 */
export const gatewaySchema = (): GraphQLSchema => (built ??= buildSchema());

function buildSchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: [
      WalletResolver,
      RechargeResolver,
      UnsettledPaymentResolver,
      FlightResolver,
      BookingResolver,
      SupplierOrderResolver,
      EventResolver,
      TeamResolver,
      ApiKeyResolver,
      WebhookResolver,
      WebhookDeliveryResolver,
      IntegrationResolver,
    ],
    validate: false,
    // Validating the first document checks the schema as well; asking it for an introspection takes 60 ms of a start.
    skipCheck: true,
    pubSub: noPubSub,
  });
  guardOperations(schema);
  letMutationsFailAlone(schema);
  resolveUnionsByName(schema);
  tellRules(schema);
  tellBadValues(schema);
  return new GraphQLSchema({ ...schema.toConfig(), directives: [...schema.getDirectives(), omitNull] });
}

/**
 * A refused mutation answers null and leaves the others of its request standing: they have taken effect, and their
 * answers may hold what is shown only once. With non-null root fields the whole answer would be null.
 */
function letMutationsFailAlone(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    field.type = getNullableType(field.type);
  }
}

/** Says in the description of each operation what it asks of its caller: the rules that it is declared with. */
function tellRules(schema: GraphQLSchema): void {
  for (const { field, rules } of declaredFieldsOf(schema)) {
    field.description = [field.description, ...notesOf(rules)].join(' ');
  }
}

function notesOf({ scope, testOnly, creation }: OperationRules): string[] {
  const scopes = [scope].flat().map((one) => `\`${one}\``);
  return [
    scope === 'operator' ? 'For operators’ keys.' : `Scope ${scopes.join(' or ')}.`,
    ...(testOnly ? ['Test keys only.'] : []),
    ...(creation ? ['Takes an Idempotency-Key.'] : []),
  ];
}

/** Members of unions say which they are by `__typename`: compiled operations cannot wait for TypeGraphQL's answer. */
function resolveUnionsByName(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isUnionType(type)) type.resolveType = (value) => (value as { __typename: string }).__typename;
  }
}
