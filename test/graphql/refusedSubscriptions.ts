import { expect, it } from 'vitest';
import { payRecharge, requestRecharge, storedWalletEvents } from '../harness/activity.ts';
import type { TestServer } from '../harness/server.ts';
import type { Transport } from '../harness/subscribers.ts';
import { firstRefusal, walletEvents } from '../harness/subscribers.ts';

const unheardOf = 'evt_01jd4ynv5te5j8v2r0h3m6x9qa';

/** What nobody can subscribe to, as part of what is told of a subscription over a transport. */
export function describeRefusedSubscriptions(server: () => TestServer, transport: Transport): void {
  it.each([
    ['text that is no id', () => 'yesterday'],
    ['an empty text', () => ''],
    ['an id that was never given', () => unheardOf],
    ['an id with a NUL', () => `evt_\u0000${unheardOf.slice(5)}`],
    ['an event of another team', async (other: string) => other],
  ])('refuses to resume after %s', async (_kind, after) => {
    const [team, other] = [await server().createTeam(), await server().createTeam()];
    await requestRecharge(server(), other.test);
    const [foreign] = await storedWalletEvents(server(), other.teamId, 'test');
    const subscriber = transport.subscribe(server().url, {
      key: team.test,
      variables: { after: await after(foreign?.id ?? '') },
    });
    expect(await firstRefusal(subscriber)).toEqual({
      message: 'Invalid request parameters',
      code: 'VALIDATION_ERROR',
      field: 'after',
    });
  });

  it('refuses to resume after an event of the other mode', async () => {
    const team = await server().createTeam();
    await requestRecharge(server(), team.live);
    const [foreign] = await storedWalletEvents(server(), team.teamId, 'live');
    const subscriber = transport.subscribe(server().url, {
      key: team.test,
      variables: { after: foreign?.id },
    });
    expect(await firstRefusal(subscriber)).toMatchObject({ code: 'VALIDATION_ERROR', field: 'after' });
  });

  it.each([
    ['of another kind', 'booking.created', 'types.1'],
    ['of keys', 'api_key.revoked', 'types.1'],
    ['that do not exist', 'wallet.emptied', 'types.1'],
  ])('refuses types %s', async (_kind, type, field) => {
    const team = await server().createTeam();
    const subscriber = transport.subscribe(server().url, {
      key: team.test,
      variables: { types: ['wallet.credit', type] },
    });
    expect(await firstRefusal(subscriber)).toEqual({
      message: 'Invalid events',
      code: 'VALIDATION_ERROR',
      field,
    });
  });

  it.each([
    ['none', []],
    ['one of another kind', ['booking.created']],
  ])('names types beside what is no id: %s', async (_kind, types) => {
    const team = await server().createTeam();
    const variables = { types, after: 1 };
    const subscriber = transport.subscribe(server().url, { key: team.test, variables });
    expect(await firstRefusal(subscriber)).toMatchObject({
      message: 'Invalid events',
      field: types.length === 0 ? 'types' : 'types.0',
    });
  });

  it.each([
    ['literal', 'subscription { walletEvents @skip(if: true) { id } }', {}],
    [
      'of a variable',
      'subscription ($yes: Boolean!) { walletEvents @include(if: $yes) { id } }',
      { yes: false },
    ],
    [
      'in a fragment',
      'subscription { ...A } fragment A on Subscription { ... @skip(if: true) { walletEvents { id } } }',
      {},
    ],
  ])('refuses a condition on its field, %s', async (_case, query, variables) => {
    const team = await server().createTeam();
    const subscriber = transport.subscribe(server().url, { key: team.test, query, variables });
    expect(await firstRefusal(subscriber)).toEqual({
      message: 'Subscriptions have no conditions on their field',
      code: 'GRAPHQL_VALIDATION_FAILED',
    });
  });

  it.each([
    ['a document', (characters: number) => ({ query: `${walletEvents} #${'x'.repeat(characters)}` })],
    [
      'variables',
      (characters: number) => ({
        variables: { types: Array(Math.ceil(characters / 15)).fill('wallet.credit') },
      }),
    ],
  ])('refuses %s that would take megabytes as long as it is open', async (_case, requestOf) => {
    const team = await server().createTeam();
    const beginning = await requestRecharge(server(), team.test);
    const [start] = await storedWalletEvents(server(), team.teamId, 'test');
    await payRecharge(server(), team.test, beginning);
    const subscribe = ({ variables = {}, ...request }: { query?: string; variables?: object }) =>
      transport.subscribe(server().url, {
        key: team.test,
        ...request,
        variables: { after: start?.id, ...variables },
      });
    const sound = subscribe(requestOf(15_000));
    await sound.sees(1);
    sound.cut();
    expect(await firstRefusal(subscribe(requestOf(16_384)))).toEqual({
      message: 'Invalid request parameters',
      code: 'VALIDATION_ERROR',
      field: 'query',
    });
  });

  it('is closed to keys without the scope and to operators', async () => {
    const team = await server().createTeam();
    const { secret } = await server().createKey({
      kind: 'test',
      teamId: team.teamId,
      scopes: ['wallet:write'],
    });
    for (const key of [secret, server().keys.operator]) {
      const subscriber = transport.subscribe(server().url, { key });
      expect(await firstRefusal(subscriber)).toMatchObject({ message: 'Forbidden', code: 'FORBIDDEN' });
    }
  });
}
