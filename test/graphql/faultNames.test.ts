import { afterAll, beforeAll, expect, it } from 'vitest';
import { inDays, travellersOf } from '../bookings/bookingSteps.ts';
import type { GraphqlAnswer, Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { firstRefusal, transports } from '../harness/subscribers.ts';

const webhook = `mutation ($address: WebhookUrl!, $kinds: [EventType!]!, $about: String, $more: [WebhookHeaderInput!]) {
  createWebhook(url: $address, events: $kinds, description: $about, headers: $more) { id }
}`;
const soundWebhook = { address: 'https://agency.example.com/hooks', kinds: ['wallet.debit'] };

const booking = `mutation ($offer: String!, $who: [BookingPassengerInput!]!, $paid: [BookingPaymentInput!]) {
  createBooking(offerId: $offer, type: instant, passengers: $who, payments: $paid) { id }
}`;

/** The fields that a refusal names: of a bad request all, of any other the one that it is for. */
function namedIn({ body }: GraphqlAnswer): string[] {
  const details: Json = body.errors?.[0]?.extensions.details;
  return (details.errors ?? [details]).map((fault: Json) => fault.field);
}

describeOneEngine(
  'A refusal of the domain names what the document takes from variables by these',
  (engine) => {
    let server: TestServer;
    let team: { teamId: string; live: string };
    beforeAll(async () => {
      server = await startTestServer(engine);
      team = await server.createTeam();
    });
    afterAll(() => server?.close());

    it.each<[string, object, string[]]>([
      ['a private host', { address: 'https://127.0.0.1/hooks' }, ['address']],
      ['no events', { kinds: [] }, ['kinds']],
      ['a description that is too long', { about: 'x'.repeat(501) }, ['about']],
      [
        'a header of ours, and all else',
        { address: 'https://127.0.0.1', kinds: [], more: [{ name: 'Host', value: 'x' }] },
        ['address', 'kinds', 'more.0'],
      ],
    ])('for a webhook with %s', async (_case, input, fields) => {
      expect(namedIn(await server.graphql(webhook, { ...soundWebhook, ...input }, team.live))).toEqual(
        fields,
      );
    });

    it('for travellers and payments that do not fit the offer', async () => {
      const search = `query ($day: DepartureDate!) {
      flightSearch(search: { type: one_way, slices: [{ origin: "GRU", destination: "GIG", departureDate: $day }],
                             passengers: [{ type: adult, count: 1 }] }) { offers { id passengers { id type } } }
    }`;
      const { body } = await server.graphql(search, { day: inDays(30) }, team.live);
      const [offer] = body.data.flightSearch.offers;
      const [traveller] = travellersOf(offer);
      const book = (who: object[], amount: string) => {
        const paid = [{ type: 'balance', amount, currency: 'BRL' }];
        return server.graphql(booking, { offer: offer.id, who, paid }, team.live);
      };
      const unnamed = await book([], '1.00');
      expect(unnamed.body.errors?.[0]?.extensions.details.errors).toEqual([
        { field: 'who', type: 'missing', passenger_id: traveller.id },
      ]);
      expect(namedIn(await book([{ ...traveller, given_name: '…' }], '1.00'))).toEqual(['who.0.given_name']);
      expect(namedIn(await book([traveller], '0.01'))).toEqual(['paid.0.amount']);
    });

    it('for offers of a search, beside what is not of its type', async () => {
      const offers = `query ($from: PageNumber!, $which: OfferFilterInput, $least: Amount) {
        all: offerRequest(id: "orq_1", page: $from, filter: $which) { id }
        some: offerRequest(id: "orq_1", page: $from, filter: { minPrice: $least, maxPrice: "1.00", maxStops: -1 }) { id }
      }`;
      const variables = { from: 0, which: { minPrice: '5', maxPrice: '1', maxStops: -1 }, least: '1.01' };
      expect(namedIn(await server.graphql(offers, variables, team.live))).toEqual([
        'from',
        'which.maxStops',
        'which.minPrice',
        'least',
        'filter.maxStops',
      ]);
      const sound = { from: 0, which: { minPrice: '1', maxPrice: '5' } };
      expect(namedIn(await server.graphql(offers, sound, team.live))).toEqual(['from', 'filter.maxStops']);
    });

    it('once each, however many fields take them', async () => {
      const twice = `mutation ($sum: Amount!, $in: Currency!) {
        one: createRecharge(amount: $sum, currency: $in, paymentMethod: pix) { id }
        other: createRecharge(amount: $sum, currency: $in, paymentMethod: pix) { id }
      }`;
      const answer = await server.graphql(twice, { sum: '1.00', in: 5 }, team.live, {
        'idempotency-key': 'k'.repeat(256),
      });
      expect(namedIn(answer)).toEqual(['sum', 'in', 'Idempotency-Key']);
    });

    const namedAt = async (document: string, variables: object, headers?: object) =>
      namedIn(await server.graphql(document, variables, team.live, headers));

    it('and then what it has as literals, by their arguments', async () => {
      const pair = `mutation ($by: PaymentMethod!, $about: String, $more: [WebhookHeaderInput!]) {
        one: createWebhook(url: "https://127.0.0.1", events: [], description: $about, headers: $more) { id }
        other: createRecharge(amount: "1.00", currency: BRL, paymentMethod: $by) { id }
      }`;
      const variables = { by: 'cheque', more: [{ name: 'Host', value: 'x' }] };
      const key = { 'idempotency-key': 'k'.repeat(256) };
      expect(await namedAt(pair, variables, key)).toEqual([
        'by',
        'more.0',
        'url',
        'events',
        'amount',
        'Idempotency-Key',
      ]);
      const sound = `mutation ($by: PaymentMethod!, $kind: EventType!) {
        one: createRecharge(amount: "100", currency: BRL, paymentMethod: $by) { id }
        other: createWebhook(url: "https://agency.example.com/hooks", events: ["wallet.debit", $kind]) { id }
        third: createTeam(input: { name: "Agência", feeAmount: "35.00" }) { id }
      }`;
      expect(await namedAt(sound, { by: 'cheque', kind: 'nothing' })).toEqual(['by', 'kind']);
    });

    it('where a rule is about a variable and a literal, or a default', async () => {
      const period = `query ($limit: PageSize!, $last: Day = "2026-11-01", $first: Day) {
        some: walletTransactions(limit: $limit, startDate: $first, endDate: "2026-11-03") { pagination { total } }
        others: walletTransactions(startDate: "2026-11-02", endDate: $last) { pagination { total } }
      }`;
      const first = '2026-11-04';
      expect(await namedAt(period, { limit: 0, first })).toEqual(['limit', 'first', 'startDate']);
      expect(await namedAt(period, { limit: 0, last: '2026-11-02', first: '2026-11-03' })).toEqual(['limit']);
      expect(await namedAt(period, { limit: 1, last: 'today', first })).toEqual(['last', 'first']);
    });

    it('also in fragments, where those are asked', async () => {
      const document = `query ($limit: PageSize!, $least: Amount, $from: Day, $isWanted: Boolean!, $isLeft: Boolean!) {
        ...Offers
        ... on Query { ... @include(if: $isWanted) { ...Period } }
        nobody: offerRequest(id: "orq_1", filter: { maxStops: -1 }) @skip(if: true) { id }
        recharges(limit: $limit) @skip(if: $isLeft) { pagination { total } }
      }
      fragment Period on Query {
        walletTransactions(startDate: $from, endDate: "2026-11-01") { pagination { total } }
        ...Offers
      }
      fragment Offers on Query {
        offerRequest(id: "orq_1", filter: { minPrice: $least, maxPrice: "1.00", maxStops: -1 }) { id }
      }`;
      const variables = { limit: 0, least: '1.01', from: '2026-11-02', isWanted: true, isLeft: false };
      expect(await namedAt(document, variables)).toEqual(['limit', 'least', 'from', 'filter.maxStops']);
      expect(await namedAt(document, { ...variables, isWanted: false })).toEqual([
        'limit',
        'least',
        'filter.maxStops',
      ]);
      // Nobody knows whether it is asked.
      expect(await namedAt(document, { ...variables, limit: 1, isWanted: 'yes' })).toEqual([
        'least',
        'isWanted',
        'filter.maxStops',
      ]);
      const creation = `mutation ($by: PaymentMethod!) { ...Recharge }
        fragment Recharge on Mutation { createRecharge(amount: "1.00", currency: BRL, paymentMethod: $by) { id } }`;
      expect(await namedAt(creation, { by: 'cheque' }, { 'idempotency-key': 'k'.repeat(256) })).toEqual([
        'by',
        'amount',
        'Idempotency-Key',
      ]);
    });

    it('for tickets that a carrier issued, beside what is not of its type', async () => {
      const record = `mutation ($issued: [TicketInput!]!, $locator: String) {
        recordTickets(bookingId: "ord_1", tickets: $issued, carrierReference: $locator) { bookingId }
      }`;
      const named = async (issued: object[], locator: unknown) =>
        namedIn(await server.graphql(record, { issued, locator }, server.keys.operator));
      const ticket = { passengerId: 'pas_1', uniqueIdentifier: '957-2412345678' };
      const issued = [{ ...ticket, uniqueIdentifier: '957' }, ticket, { ...ticket, passengerId: 1 }];
      expect(await named(issued, 'XKP TRB')).toEqual([
        'issued.0.uniqueIdentifier',
        'issued.2.passengerId',
        'issued',
        'locator',
      ]);
      expect(await named([], 1)).toEqual(['issued', 'locator']);
      expect(await named([ticket], 1)).toEqual(['locator']);
    });

    it('for payments that are missing, whatever the document takes from variables', async () => {
      const who: object[] = [{}];
      const unpaid = `mutation ($who: [BookingPassengerInput!]!) {
        createBooking(offerId: "off_1", type: instant, passengers: $who) { id }
      }`;
      expect(namedIn(await server.graphql(unpaid, { who }, team.live)).at(-1)).toBe('payments');
      const usually = `mutation ($who: [BookingPassengerInput!]!, $type: BookingType = instant,
                                 $paid: [BookingPaymentInput!] = [{ type: balance, amount: "1", currency: BRL }]) {
        createBooking(offerId: "off_1", type: $type, passengers: $who, payments: $paid) { id }
      }`;
      expect(namedIn(await server.graphql(usually, { who }, team.live))).not.toContain('paid');
      expect(namedIn(await server.graphql(usually, { who, paid: null }, team.live)).at(-1)).toBe('paid');
    });

    it.each<[string, string, object, string]>([
      [
        'a note that says nothing',
        'mutation ($why: String!) { dismissPayment(id: "pay_1", note: $why) { id } }',
        { why: ' ' },
        'why',
      ],
      [
        'a debit of nothing',
        'mutation ($part: Amount) { debitReturnedPayment(id: "pay_1", amount: $part) { id } }',
        { part: '0' },
        'part',
      ],
      [
        'the name of a key within an object',
        'mutation ($who: String!) { createApiKey(input: { kind: operator, name: $who }) { secret } }',
        { who: ' ' },
        'who',
      ],
    ])('for an operator’s request with %s', async (_case, document, variables, field) => {
      expect(namedIn(await server.graphql(document, variables, server.keys.operator))).toEqual([field]);
    });

    it('where something stands in the way of it', async () => {
      const document = `mutation ($team: String!, $which: String!) {
      connectIntegration(teamId: $team, mode: live, kind: payment_provider, name: $which) { connected }
    }`;
      const variables = { team: team.teamId, which: 'simulated' };
      expect(namedIn(await server.graphql(document, variables, server.keys.operator))).toEqual(['which']);
    });

    it.each([
      [
        'no types',
        'subscription ($kinds: [EventType!]) { walletEvents(types: $kinds) { id } }',
        { kinds: [] },
      ],
      [
        'an unknown event',
        'subscription ($kinds: String) { walletEvents(after: $kinds) { id } }',
        { kinds: '1' },
      ],
    ])('for a subscription from %s', async (_case, query, variables) => {
      for (const transport of transports) {
        const subscriber = transport.subscribe(server.url, { key: team.live, query, variables });
        expect((await firstRefusal(subscriber)).field).toBe('kinds');
      }
    });

    it('also where the first answer is repeated that the other door was given', async () => {
      const { teamId, live } = await server.createTeam();
      const disconnect = `mutation { disconnectIntegration(teamId: "${teamId}", mode: live, kind: payment_provider,
                                                         name: "simulated") { connected } }`;
      expect((await server.graphql(disconnect, null, server.keys.operator)).body.errors).toBeUndefined();
      const key = { 'idempotency-key': 'same' };
      const input = { amount: '100.00', currency: 'BRL', payment_method: 'pix' };
      const first = await server.rest('POST', '/api/v1/wallet/recharge', {
        key: live,
        body: input,
        headers: key,
      });
      expect(first.body.error.details.field).toBe('payment_method');
      const document = `mutation ($by: PaymentMethod!) {
      createRecharge(amount: "100.00", currency: BRL, paymentMethod: $by) { id }
    }`;
      const second = await server.graphql(document, { by: 'pix' }, live, key);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      expect(namedIn(second)).toEqual(['by']);
    });
  },
);
