import { expect } from 'vitest';
import type { Json } from './client.ts';
import type { TestServer } from './server.ts';

/** What operators do with teams and keys, for tests. */

const teamFields = `id name markupPercent feeAmount alertEmail taxId corsDomains createdAt updatedAt
  address { street number complement district city state postalCode }`;
const keyFields = 'id teamId kind name lastFour scopes createdAt revokedAt';

export const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const unknownTeam = 'team_01jd4ynv5te5j8v2r0h3m6x9qa';
export const unknownKey = 'key_01jd4ynv5te5j8v2r0h3m6x9qa';

export const operations = {
  createTeam: `mutation ($input: CreateTeamInput!) { createTeam(input: $input) { ${teamFields} } }`,
  updateTeam: `mutation ($id: String!, $input: UpdateTeamInput!) { updateTeam(id: $id, input: $input) { ${teamFields} } }`,
  team: `query ($id: String!) { team(id: $id) { ${teamFields} } }`,
  teams: `query ($page: PageNumber, $limit: PageSize) {
    teams(page: $page, limit: $limit) { items { ${teamFields} } pagination { page limit total pages } }
  }`,
  createApiKey: `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { ${keyFields} } } }`,
  revokeApiKey: `mutation ($id: String!) { revokeApiKey(id: $id) { ${keyFields} } }`,
  apiKeys: `query ($teamId: String) { apiKeys(teamId: $teamId) { ${keyFields} } }`,
};

export type OperationName = keyof typeof operations;

/** An operator at a server. */
export class Operator {
  readonly #server: TestServer;

  constructor(server: TestServer) {
    this.#server = server;
  }

  ask(name: OperationName, variables: object, key = this.#server.keys.operator, headers = {}) {
    return this.#server.graphql(operations[name], variables, key, headers);
  }

  /** The value of an operation that succeeds. */
  async does(name: OperationName, variables: object): Promise<Json> {
    const { body } = await this.ask(name, variables);
    expect(body.errors).toBeUndefined();
    return body.data[name];
  }

  /** The refusal of an operation that fails. */
  async refuses(name: OperationName, variables: object, key?: string): Promise<Json> {
    const { body } = await this.ask(name, variables, key);
    expect(body.errors).toHaveLength(1);
    expect(body.data?.[name] ?? null).toBeNull();
    const { message, extensions } = body.errors?.[0] ?? {};
    const fields = extensions.details.errors?.map(({ field }: Json) => field);
    return { message, code: extensions.code, ...(fields ? { fields } : {}) };
  }
}
