import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { documentRunsAt } from './documentRuns.ts';
import { placesOfNull, queriesWithMeanings } from './easilyMisread.ts';

/** Documents whose meaning is easily lost by what compiles them, keeps them or puts values into them. */
describeOneEngine('A document means the same whichever way it is run', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  const { post, get, overEvents, overSocket, meaningsOf } = documentRunsAt(() => server);

  it.each(Object.entries(queriesWithMeanings))('%s', async (_case, { means, ...request }) => {
    const { test: key } = await server.createTeam();
    for (const meaning of await meaningsOf(request, key)) {
      expect(JSON.stringify(meaning.data)).toBe(JSON.stringify(means));
      expect(meaning.errors).toBeUndefined();
    }
  });

  it('a fragment that two operations of a document have under other conditions', async () => {
    const { test: key } = await server.createTeam();
    const query = `query First($yes: Boolean!) { walletBalance { currency ...A @include(if: $yes) } }
      query Second { walletBalance { ...A } } fragment A on WalletBalance { balance }`;
    for (const [operationName, variables, means] of [
      ['First', { yes: false }, { currency: 'BRL' }],
      ['Second', {}, { balance: '5000.00' }],
      ['First', { yes: true }, { currency: 'BRL', balance: '5000.00' }],
    ] as const) {
      for (const { data } of await meaningsOf({ query, operationName, variables }, key))
        expect(data).toEqual({ walletBalance: means });
    }
  });

  it('a text, whatever it looks like, is never run', async () => {
    const { test: key } = await server.createTeam();
    // Marks that the compiler of operations makes for itself.
    for (const [mark, ending] of [
      ['__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d', ''],
      ['__MAGIC_NAN__57f286b9_4c20_487f_b409_79804ddcb4f8', null],
      ['\\u005f\\u005fMAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d', ''],
      ['\\"__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d', ' + `'],
    ] as const) {
      const name = `ran${randomUUID().replaceAll('-', '')}`;
      const program = ending === null ? '' : `globalThis.${name} = 1${ending}`;
      for (const { data, errors } of await meaningsOf(
        { query: `{ recharge(id: "${mark}${program}") { id } }` },
        key,
      )) {
        expect([data, errors]).toEqual([null, [expect.objectContaining({ message: 'Recharge not found' })]]);
      }
      expect(name in globalThis).toBe(false);
    }
  });

  it.each([
    ['GRAPHQL_PARSE_FAILED', { query: '{ walletBalance {' }],
    ['GRAPHQL_VALIDATION_FAILED', { query: '{ walletBalance { colour } }' }],
    [
      'OPERATION_RESOLUTION_FAILURE',
      { query: 'query A { __typename } query B { __typename }', operationName: 'C' },
    ],
    [
      'VALIDATION_ERROR',
      { query: 'query ($id: String!) { recharge(id: $id) { id } }', variables: { id: 5 } },
    ],
  ])('what cannot be run is %s', async (code, request) => {
    for (const { data, errors } of await meaningsOf(request, server.keys.test)) {
      expect([data, errors.map((error: Json) => error.extensions.code)]).toEqual([undefined, [code]]);
    }
  });

  describe('a variable', () => {
    it('that is left out of an object leaves its member out', async () => {
      const { teamId } = await server.createTeam({ name: 'Before', alertEmail: 'alerts@example.com' });
      const query = `mutation ($id: String!, $name: String, $alertEmail: String) {
        updateTeam(id: $id, input: { name: $name, alertEmail: $alertEmail }) { name alertEmail }
      }`;
      const update = async (variables: object) => {
        const request = { query, variables: { id: teamId, ...variables } };
        const answers = [
          (await post(request, server.keys.operator)).body,
          (await post(request, server.keys.operator)).body,
          await overEvents(request, server.keys.operator),
        ];
        return answers.map(({ data }) => data.updateTeam);
      };
      for (const after of await update({ name: 'After' }))
        expect(after).toEqual({ name: 'After', alertEmail: 'alerts@example.com' });
      for (const after of await update({ alertEmail: null }))
        expect(after).toEqual({ name: 'After', alertEmail: null });
      for (const after of await update({ alertEmail: 'again@example.com' }))
        expect(after).toEqual({ name: 'After', alertEmail: 'again@example.com' });
    });

    it('that is left out of an object brings the default of its member', async () => {
      const query = `mutation ($fee: Amount, $domains: [String!]) {
        createTeam(input: { name: "Defaults", feeAmount: $fee, corsDomains: $domains }) { feeAmount corsDomains }
      }`;
      for (const answer of [
        (await post({ query }, server.keys.operator)).body,
        (await post({ query }, server.keys.operator)).body,
        await overEvents({ query }, server.keys.operator),
      ]) {
        expect(answer).toEqual({ data: { createTeam: { feeAmount: '0.00', corsDomains: [] } } });
      }
    });

    it.each(Object.entries(placesOfNull))(
      'of null is refused as %s',
      async (_case, { query, field, variables }) => {
        // Refusals over WebSockets have no other place for `_meta` of test mode than among what is compared here.
        const { live: key } = await server.createTeam();
        const request = { query, variables: variables ?? { [field]: null } };
        expect((await post(request, key)).status).toBe(400);
        for (const { data, errors } of await meaningsOf(request, key)) {
          expect(data).toBeUndefined();
          expect(errors).toEqual([
            {
              message: 'Invalid request parameters',
              extensions: {
                code: 'VALIDATION_ERROR',
                details: { field, type: 'required', errors: [{ field, type: 'required' }] },
              },
            },
          ]);
        }
      },
    );

    it.each(['constructor', 'toString', '__proto__'])('called %s is refused like any other', async (name) => {
      const { test: key } = await server.createTeam();
      const query = `mutation ($${name}: WebhookUrl!) { updateWebhook(id: "wh_1", url: $${name}) { id } }`;
      const variables = JSON.parse(`{"${name}":5}`);
      for (const { errors } of [
        (await post({ query, variables }, key)).body,
        (await post({ query, variables }, key)).body,
        await overEvents({ query, variables }, key),
        await overSocket({ query, variables }, key),
      ]) {
        expect(errors[0].message).toBe('Invalid URL');
        expect(errors[0].extensions.details.errors).toEqual([{ field: name, type: 'invalid' }]);
      }
    });

    it('of null keeps no mutation waiting, and runs none', async () => {
      const { test: key } = await server.createTeam();
      const request = {
        query: `mutation ($amount: Amount = "100.00") {
          first: createRecharge(amount: "100.00", currency: BRL, paymentMethod: pix) { amount }
          second: createRecharge(amount: $amount, currency: BRL, paymentMethod: pix) { amount }
          third: createRecharge(amount: "300.00", currency: BRL, paymentMethod: pix) { amount }
        }`,
        variables: { amount: null },
      };
      for (const { errors } of [
        (await post(request, key)).body,
        (await post(request, key)).body,
        await overEvents(request, key),
        await overSocket(request, key),
      ]) {
        expect(errors[0].extensions.details).toMatchObject({ field: 'amount', type: 'required' });
      }
      const { body } = await post({ query: '{ recharges { pagination { total } } }' }, key);
      expect(body.data.recharges.pagination.total).toBe(0);
    });
  });

  it('no name of an operation makes a known document of another', async () => {
    const { test: key } = await server.createTeam();
    const mutation =
      'mutation Create { createRecharge(amount: "100", currency: BRL, paymentMethod: pix) { id } }';
    const query = 'query Balance { walletBalance { balance } }';
    const bare = mutation.replace('mutation Create', '');
    await post({ query: `${mutation}\n${query}`, operationName: 'Create' }, key);
    await post({ query: `mutation\n${bare}` }, key);
    const made = async () => {
      const { body } = await post({ query: '{ recharges { pagination { total } } }' }, key);
      return body.data.recharges.pagination.total;
    };
    expect(await made()).toBe(2);
    const answers = [
      await get({ query, operationName: `Create\n${mutation}` }, key),
      await post({ query, operationName: `Create\n${mutation}` }, key),
      await post({ query: bare, operationName: 'mutation' }, key),
      await post({ query: `!Create\n${mutation}\n${query}` }, key),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect(await made()).toBe(2);
  });
});
