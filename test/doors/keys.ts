import { createApiKey } from '../../src/domain/teams/keys.ts';
import { createTeam } from '../../src/domain/teams/management.ts';
import type { Scope } from '../../src/domain/teams/scope.ts';
import type { TestServer } from '../harness/server.ts';

/** Issues keys of a new team without a request, for servers whose rate limits leave operators no room to. */
export async function newTeamKeys({ running }: Pick<TestServer, 'running'>) {
  const { platform } = running.gateway;
  const pricing = { markupPercent: '0', feeAmount: '0.00' };
  const settings = { ...pricing, alertEmail: null, taxId: null, address: null, corsDomains: [] };
  const team = await createTeam({ name: 'Agência de Teste', ...settings }, platform);
  const issue = async (kind: 'live' | 'test', scopes: Scope[] | null = null) =>
    (await createApiKey({ kind, teamId: team.id, name: kind, scopes }, platform)).secret;
  return { teamId: team.id, live: await issue('live'), test: await issue('test'), issue };
}
