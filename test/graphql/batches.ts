import { GraphQLString } from 'graphql';
import { expect, it, vi } from 'vitest';
import type { Json, RestAnswer } from '../harness/client.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';

/** What tests of the door work with. */
export interface GuardedDoor {
  readonly server: TestServer;
  readonly team: TeamKeys;
  /** Asks in test mode. */
  post(body: unknown, headers?: Record<string, string>): Promise<RestAnswer>;
}

/** Requests of several operations, as part of what the door does about what it is asked. */
export function describeBatches(stage: GuardedDoor): void {
  it('takes ten operations in a request, and no more', async () => {
    const operations = (count: number) => Array(count).fill({ query: '{ walletBalance { balance } }' });
    const ten = await stage.post(operations(10));
    expect(ten.status).toBe(200);
    expect(ten.body).toHaveLength(10);
    const eleven = await stage.post(operations(11));
    expect(eleven.status).toBe(400);
    expect(eleven.body.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { field: 'body', type: 'too_many_operations' },
    });
    expect((await stage.post([])).status).toBe(400);
  });

  it('answers a batch with a list, whatever is refused of it', async () => {
    const query = 'query ($limit: PageSize!) { recharges(limit: $limit) { pagination { limit } } }';
    const batch = [{ query, variables: { limit: 5 } }, { query, variables: { limit: 101 } }, { query: '{' }];
    for (const key of [stage.team.live, stage.team.test]) {
      const { status, body } = await stage.server.rest('POST', '/graphql', { key, body: batch });
      expect(status).toBe(200);
      const extensions =
        key === stage.team.live ? undefined : { _meta: { test_mode: true, message: expect.any(String) } };
      const refused = (code: string) => ({
        errors: [expect.objectContaining({ extensions: expect.objectContaining({ code }) })],
        extensions,
      });
      expect(body).toEqual([
        { data: { recharges: { pagination: { limit: 5 } } }, extensions },
        refused('VALIDATION_ERROR'),
        refused('GRAPHQL_PARSE_FAILED'),
      ]);
      const none = await stage.server.rest('POST', '/graphql', { key, body: batch.slice(1) });
      expect([none.status, none.body]).toEqual([
        400,
        [refused('VALIDATION_ERROR'), refused('GRAPHQL_PARSE_FAILED')],
      ]);
    }
  });

  it('runs nothing of a batch with a member that is no request', async () => {
    const { teamId, test: key } = await stage.server.createTeam();
    const query = 'mutation { createRecharge(amount: "100", currency: BRL, paymentMethod: pix) { id } }';
    for (const member of [
      null,
      5,
      [{ query }],
      {},
      { query: [query] },
      { query, variables: '{}' },
      { query, operationName: 5 },
      { query, extensions: [] },
    ]) {
      const { status, body } = await stage.server.rest('POST', '/graphql', {
        key,
        body: [{ query }, member],
      });
      expect([status, body.errors[0].extensions.details.errors]).toEqual([
        400,
        [{ field: 'body.1', type: 'invalid' }],
      ]);
    }
    expect(await stage.server.query('SELECT id FROM recharges WHERE team_id = $1', [teamId])).toEqual([]);
    const sound = await stage.server.rest('POST', '/graphql', {
      key,
      body: [{ query, variables: null, operationName: null, extensions: null }, { query }],
    });
    expect(sound.body.map(({ data }: Json) => data.createRecharge.id)).toHaveLength(2);
  });

  it('puts the queries of a batch together one after another, in turns of the event loop', async () => {
    const { test: key } = await stage.server.createTeam();
    // What is known without looking anything up.
    const body = Array.from({ length: 10 }, () => ({ query: '{ eventTypes { description } }' }));
    let turn = 0;
    const turns = new Set<number>();
    const serialize = GraphQLString.serialize;
    const serializing = vi.spyOn(GraphQLString, 'serialize').mockImplementation((value) => {
      if (!turns.has(turn))
        setImmediate(() => {
          turn += 1;
        });
      turns.add(turn);
      return serialize(value);
    });
    try {
      const { body: answers } = await stage.server.rest('POST', '/graphql', { key, body });
      for (const { data } of answers as unknown as Json[]) expect(data.eventTypes.length).toBeGreaterThan(1);
    } finally {
      serializing.mockRestore();
    }
    expect(turns.size).toBe(10);
  });

  it('counts every operation of a batch', async () => {
    const { test: key } = await stage.server.createTeam();
    const remaining = async () => {
      const { headers } = await stage.server.graphql('{ walletBalance { balance } }', null, key);
      return Number(headers.get('x-ratelimit-remaining'));
    };
    const before = await remaining();
    await stage.server.rest('POST', '/graphql', {
      key,
      body: Array(10).fill({ query: '{ walletBalance { balance } }' }),
    });
    expect(before - (await remaining())).toBe(11);
  });
}
