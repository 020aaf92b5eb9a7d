import { randomUUID } from 'node:crypto';
import type { Json } from '../harness/client.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { paid, tell } from '../payments/bankSteps.ts';
import { pixOf, type Stage } from './door.ts';
import { furnish } from './soundRequests.ts';

/** What operators ask about: each asking makes what is used up by it. The server has a `Bank` and an `Airline`. */
export interface Operated {
  readonly server: TestServer;
  readonly team: TeamKeys;
}

const address = {
  street: 'Avenida Paulista',
  number: '1000',
  complement: 'Sala 12',
  district: 'Bela Vista',
  city: 'São Paulo',
  state: 'SP',
  postalCode: '01310-100',
};

const teamSettings = () => ({
  name: 'Viagens Sol',
  markupPercent: '12',
  feeAmount: '40.00',
  alertEmail: 'ti@sol.example',
  taxId: '12.345.678/0001-95',
  corsDomains: ['https://app.sol.example'],
  address,
});

const integration = { mode: 'test', kind: 'flight_supplier', name: 'airline' };

const page = { page: 1, limit: 20 };

/** A booking of the sandbox that waits for its tickets: whoever asks the supplier is not running. */
async function confirmed({ server, team }: Operated): Promise<Json> {
  const { booking } = await furnish(server, team.test, 'test');
  return (await server.rest('GET', `/api/v1/bookings/${booking}`, { key: team.test })).body.data;
}

const confirmedBooking = async (operated: Operated) => ({ bookingId: (await confirmed(operated)).id });

/** A payment that waits for an operator, told of by the bank. */
async function notice({ server }: Operated, ...told: Json[]): Promise<{ id: string }> {
  for (const one of told) await tell({ server } as Stage, one);
  const [row] = await server.query<{ id: string }>(
    'SELECT id FROM payment_notices WHERE provider_reference = $1',
    [told.at(-1).providerReference],
  );
  return { id: row?.id as string };
}

async function newRecharge({ server, team }: Operated): Promise<string> {
  const { body } = await server.rest('POST', '/api/v1/wallet/recharge', {
    key: team.live,
    body: pixOf('100.00'),
  });
  return body.data.id;
}

/** For every operation of operators, a request that nothing is wrong with, all that it takes among it. */
export const operatorRequests: Readonly<Record<string, (operated: Operated) => Json | Promise<Json>>> = {
  team: ({ team }) => ({ id: team.teamId }),
  teams: () => page,
  createTeam: () => ({ input: teamSettings() }),
  updateTeam: ({ team }) => ({ id: team.teamId, input: teamSettings() }),
  apiKeys: ({ team: { teamId } }) => ({ teamId }),
  createApiKey: ({ team: { teamId } }) => ({
    input: { kind: 'test', teamId, name: 'site', scopes: ['wallet:read'] },
  }),
  revokeApiKey: async ({ server, team: { teamId } }) => ({
    id: (await server.createKey({ kind: 'test', teamId })).id,
  }),
  integrations: ({ team: { teamId } }) => ({ teamId, mode: 'test' }),
  connectIntegration: async ({ server, team: { teamId } }) => {
    const disconnect = `mutation ($teamId: String!, $mode: Mode!, $kind: IntegrationKind!, $name: String!) {
      disconnectIntegration(teamId: $teamId, mode: $mode, kind: $kind, name: $name) { name }
    }`;
    await server.graphql(disconnect, { teamId, ...integration }, server.keys.operator);
    return { teamId, ...integration };
  },
  disconnectIntegration: ({ team: { teamId } }) => ({ teamId, ...integration }),
  unsettledPayments: () => page,
  settledPayments: () => page,
  dismissPayment: async (operated) => ({
    ...(await notice(operated, paid('unknown'))),
    note: 'Devolvido no banco',
  }),
  creditPayment: async (operated) => {
    const id = await newRecharge(operated);
    const cancel = 'mutation ($id: String!) { cancelRecharge(id: $id) { id } }';
    await operated.server.graphql(cancel, { id }, operated.team.live);
    // In time it would complete the recharge, cancelled or not.
    return notice(operated, paid(id, { paidAt: '2026-12-31T00:00:00.000Z' }));
  },
  debitReturnedPayment: async (operated) => {
    const rechargeId = await newRecharge(operated);
    const returned = {
      rechargeId,
      outcome: 'returned',
      providerReference: randomUUID(),
      amountCents: '10000',
    };
    return { ...(await notice(operated, paid(rechargeId), returned)), amount: '12.50' };
  },
  waitingOrders: () => ({ ...page, timesAsked: 10 }),
  supplierOrder: confirmedBooking,
  failBooking: confirmedBooking,
  cancelForCarrier: confirmedBooking,
  recordTickets: async (operated) => {
    const { id: bookingId, passengers } = await confirmed(operated);
    const tickets = passengers.map(({ id: passengerId }: Json, index: number) => ({
      passengerId,
      uniqueIdentifier: `957-241234567${index}`,
    }));
    return { bookingId, tickets, carrierReference: 'QX7LMN' };
  },
  dropCancellation: async (operated) => {
    const { id: bookingId } = await confirmed(operated);
    const fail = 'mutation ($id: String!) { failBooking(bookingId: $id) { status } }';
    await operated.server.graphql(fail, { id: bookingId }, operated.server.keys.operator);
    return { bookingId };
  },
};
