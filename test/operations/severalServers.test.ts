import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payRecharge, requestRecharge } from '../harness/activity.ts';
import { describeEngines } from '../harness/engines.ts';
import { Operator, unknownTeam } from '../harness/operator.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

interface Agency {
  readonly server: TestServer;
  readonly operator: Operator;
  readonly team: TeamKeys;
  /** Pending, of the live wallet and of the test wallet. */
  readonly recharges: { readonly live: string; readonly test: string };
}

describeEngines('Servers that share a process, each with a database of its own', (engine) => {
  const servers: TestServer[] = [];
  const agencies: Agency[] = [];
  afterAll(async () => {
    for (const server of servers) await server.close();
  });

  async function open(): Promise<Agency> {
    const server = await startTestServer(engine);
    servers.push(server);
    const team = await server.createTeam();
    const recharges = {
      live: await requestRecharge(server, team.live),
      test: await requestRecharge(server, team.test),
    };
    return { server, operator: new Operator(server), team, recharges };
  }

  beforeAll(async () => {
    for (let number = 0; number < 2; number += 1) agencies.push(await open());
  });

  const read = async ({ server }: Agency, key: string, id: string) => {
    const { status, body } = await server.rest('GET', `/api/v1/wallet/recharge/${id}`, { key });
    return [status, body.data?.status ?? body.error.message];
  };

  describe.each([
    ['first', 0, 1],
    ['last', 1, 0],
  ] as const)('the %s', (_which, own, others) => {
    const here = () => agencies[own]!;
    const elsewhere = () => agencies[others]!;

    it('reads the recharges of its own teams alone', async () => {
      const { team, recharges } = here();
      expect(await read(here(), team.live, recharges.live)).toEqual([200, 'pending']);
      expect(await read(here(), team.live, elsewhere().recharges.live)).toEqual([404, 'Recharge not found']);
    });

    it('shows the payer the charges of its own teams alone', async () => {
      const look = async (id: string) => (await here().server.rest('GET', `/pix/${id}.png`)).status;
      expect(await look(here().recharges.live)).toBe(200);
      expect(await look(elsewhere().recharges.live)).toBe(404);
    });

    it('writes, pays and ends recharges of its own', async () => {
      const { server, team, recharges } = here();
      await payRecharge(server, team.test, recharges.test);
      expect(await read(here(), team.test, recharges.test)).toEqual([200, 'completed']);
      const id = await requestRecharge(server, team.live);
      await server.graphql(`mutation { cancelRecharge(id: "${id}") { id } }`, null, team.live);
      expect(await read(here(), team.live, id)).toEqual([200, 'cancelled']);
    });

    it('knows its own teams and keys alone', async () => {
      const { operator, team } = here();
      const { items } = await operator.does('teams', {});
      const ids = items.map(({ id }: { id: string }) => id);
      expect(ids).toContain(team.teamId);
      expect(ids).not.toContain(elsewhere().team.teamId);
      expect(await operator.does('apiKeys', { teamId: team.teamId })).toHaveLength(2);
      const unknown = await operator.refuses('team', { id: unknownTeam });
      expect(await operator.refuses('team', { id: elsewhere().team.teamId })).toEqual(unknown);
    });

    it('changes its own teams and keys, and undoes what fails half-way', async () => {
      const { server, operator } = here();
      const { teamId } = await server.createTeam();
      const { id, secret } = await server.createKey({ kind: 'live', teamId });
      const balanceOf = () => server.rest('GET', '/api/v1/wallet/balance', { key: secret });
      expect((await balanceOf()).status).toBe(200);
      await server.query(
        `ALTER TABLE events ADD CONSTRAINT nothing_revoked CHECK (type <> 'api_key.revoked')`,
      );
      const refused = await operator
        .refuses('revokeApiKey', { id })
        .finally(() => server.query('ALTER TABLE events DROP CONSTRAINT nothing_revoked'));
      expect(refused.code).toBe('INTERNAL_ERROR');
      const [kept] = await server.query('SELECT revoked_at FROM api_keys WHERE id = $1', [id]);
      expect(kept).toEqual({ revoked_at: null });
      await operator.does('revokeApiKey', { id });
      expect((await balanceOf()).status).toBe(401);
      expect(await operator.does('updateTeam', { id: teamId, input: { name: 'Outra' } })).toMatchObject({
        name: 'Outra',
      });
    });
  });
});
