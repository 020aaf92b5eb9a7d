import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

const cases: Record<string, Json> = {
  success: { query: '{ walletBalance { balance currency availableCredit lastTransactionAt } }' },
  'several fields': {
    query: '{ walletBalance { balance } recharges { items { id } pagination { total } } }',
  },
  'a refusal': { query: '{ recharge(id: "rch_0") { id } }' },
  'a refusal beside a success': { query: '{ walletBalance { balance } recharge(id: "rch_0") { id } }' },
  'two refusals': { query: '{ a: recharge(id: "rch_0") { id } b: recharge(id: "rch_1") { id } }' },
  variables: {
    query:
      'query ($limit: PageSize, $type: TransactionType) { walletTransactions(limit: $limit, type: $type) { pagination { limit } } }',
    variables: { limit: 7, type: 'credit' },
  },
  'variables with defaults': {
    query: 'query ($limit: PageSize = 3) { walletTransactions(limit: $limit) { pagination { limit page } } }',
  },
  'variables of null': { query: '{ walletBalance { currency } }', variables: null },
  'bad variables': {
    query:
      'query ($limit: PageSize!, $day: Day) { walletTransactions(limit: $limit, startDate: $day) { pagination { limit } } }',
    variables: { limit: 101, day: '2026-02-30' },
  },
  'a missing variable': { query: 'query ($id: String!) { recharge(id: $id) { id } }', variables: {} },
  'a variable of null': {
    query: 'query ($id: String!) { recharge(id: $id) { amount } }',
    variables: { id: null },
  },
  'a variable too many': { query: '{ walletBalance { pendingAmount } }', variables: { other: 1 } },
  'variables that are no object': { query: '{ walletBalance { availableCredit } }', variables: [1] },
  'a named operation': {
    query: 'query A { walletBalance { balance } } query B { recharges { pagination { total } } }',
    operationName: 'B',
  },
  'an unknown operation': {
    query: 'query A { walletBalance { currency } } query B { recharges { pagination { page } } }',
    operationName: 'C',
  },
  'two operations and no name': {
    query: 'query A { walletBalance { balance currency } } query B { recharges { pagination { pages } } }',
  },
  'a name for the only operation': {
    query: 'query Balance { walletBalance { balance } }',
    operationName: 'Balance',
  },
  'another name than that of the only operation': {
    query: 'query Pending { walletBalance { pendingAmount } }',
    operationName: 'Other',
  },
  'an empty name': { query: 'query Credit { walletBalance { availableCredit } }', operationName: '' },
  'a named operation, not asked for by name': { query: 'query Mine { walletBalance { currency } }' },
  'a name that is no text': { query: 'query Total { walletBalance { balance } }', operationName: 5 },
  aliases: { query: '{ mine: walletBalance { left: balance right: balance } }' },
  directives: {
    query: 'query ($yes: Boolean!) { walletBalance { balance @include(if: $yes) currency @skip(if: $yes) } }',
    variables: { yes: true },
  },
  fragments: {
    query:
      '{ walletBalance { ...A ... on WalletBalance { currency } } } fragment A on WalletBalance { balance __typename }',
  },
  introspection: { query: '{ __typename __type(name: "Currency") { name enumValues { name } } }' },
  'a field that does not exist': { query: '{ walletBalance { colour } }' },
  'a document that does not parse': { query: '{ walletBalance {' },
  'no document': { query: '' },
  'a document that is no text': { query: 5 },
  'a subscription': { query: 'subscription { walletEvents { id } }' },
  'what is forbidden': { query: '{ teams { pagination { total } } }' },
  extensions: { query: '{ walletBalance { lastTransactionAt } }', extensions: {} },
};

describeOneEngine(
  'Documents that are asked for again run without Apollo, which nobody can tell',
  (engine) => {
    let server: TestServer;
    let team: TeamKeys;
    beforeAll(async () => {
      server = await startTestServer(engine);
      team = await server.createTeam();
    });
    afterAll(() => server.close());

    const told = ({ status, headers, text }: { status: number; headers: Headers; text: string }) => ({
      status,
      text,
      headers: [...headers]
        .map(([name]) => name)
        .filter((name) => !['connection', 'keep-alive', 'transfer-encoding'].includes(name)),
      contentType: headers.get('content-type'),
      cacheControl: headers.get('cache-control'),
    });

    it.each(Object.entries(cases))('%s', async (_case, body) => {
      for (const key of [team.test, team.live]) {
        const once = () => server.rest('POST', '/graphql', { key, body });
        const answers = [await once(), await once(), await once()].map(told);
        expect(answers[1]).toEqual(answers[0]);
        expect(answers[2]).toEqual(answers[0]);
        expect(answers[0]?.text).not.toContain('INTERNAL');
        expect(answers[0]?.text.includes('"_meta":{"test_mode":true')).toBe(key === team.test);
      }
    });

    it('a mutation is not run under another name, by whichever method', async () => {
      const { live } = await server.createTeam();
      const query =
        'mutation Create { createRecharge(amount: "100", currency: BRL, paymentMethod: pix) { id } }';
      const search = new URLSearchParams({ query, operationName: 'Other' });
      const answers = [
        await server.rest('POST', '/graphql', { key: live, body: { query, operationName: 'Other' } }),
        await server.rest('POST', '/graphql', { key: live, body: { query, operationName: '' } }),
        await server.rest('GET', `/graphql?${search}`, {
          key: live,
          headers: { 'apollo-require-preflight': 'true' },
        }),
      ];
      for (const { status, body } of answers) {
        expect(status).toBe(400);
        expect(body.errors[0].message).toBe('Unknown operation: name one that the document defines');
      }
      const made = await server.graphql('{ recharges { pagination { total } } }', null, live);
      expect(made.body.data.recharges.pagination.total).toBe(0);
    });

    it('mutations, whose replays say so', async () => {
      const query =
        'mutation Create { createRecharge(amount: "100", currency: BRL, paymentMethod: boleto) { id payment { ... on BoletoPayment { boletoBarcode } } } }';
      const create = () =>
        server.rest('POST', '/graphql', {
          key: team.test,
          body: { query },
          headers: { 'idempotency-key': 'known' },
        });
      const [first, second] = [await create(), await create()];
      expect(first.body.data.createRecharge.payment.boletoBarcode).toMatch(/^\d{44}$/);
      expect(second.text).toBe(first.text);
      expect([first, second].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([
        null,
        'true',
      ]);
    });
  },
);
