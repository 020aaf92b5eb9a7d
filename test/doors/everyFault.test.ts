import { expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { badField, dataOf, describeDoors, expectRefusal, pixOf } from './door.ts';
import { outcomeOf as graphqlOutcomeOf } from './graphqlDoor.ts';
import { outcomeOf } from './restDoor.ts';

const sound = {
  id: 'pas_1',
  given_name: 'Ana',
  family_name: 'Souza',
  born_on: '1990-05-01',
  gender: 'f',
  email: 'ana@example.com',
  phone_number: '+5511987654321',
  identity_document: { type: 'cpf', number: '123.456.780-62' },
};

const paid = { type: 'balance', amount: '400.00', currency: 'BRL' };

/** Faults that types show, and those that only the domain knows of. */
describeDoors(
  'a refusal names every bad field,',
  (stage) => {
    const { door } = stage;
    const list = (...faults: [string, string][]) => faults.map(([field, type]) => ({ field, type }));

    it.each([
      ['50.00', 'too_small', 'Minimum amount is R$ 100.00'],
      ['50000.01', 'too_large', 'Maximum amount is R$ 50000.00'],
    ])('the range of an amount of %s among them', async (amount, type, message) => {
      const { live } = await stage.server.createTeam();
      const refuses = async (input: object, ...others: [string, string][]) =>
        expectRefusal(await door.createRecharge(live, { ...pixOf(amount), ...input }), {
          ...badField('amount', type, message),
          details: { field: 'amount', type, errors: list(['amount', type], ...others) },
        });
      await refuses({ payment_method: 'cheque' }, ['payment_method', 'invalid']);
      await refuses({ payment_method: null }, ['payment_method', 'required']);
      await refuses(
        { currency: 'USD', payment_method: 1 },
        ['currency', 'invalid'],
        ['payment_method', 'invalid'],
      );
      await refuses({});
    });

    it('and none that is sound', async () => {
      const { live } = await stage.server.createTeam();
      expectRefusal(await door.createRecharge(live, { ...pixOf('100.00'), payment_method: 'cheque' }), {
        ...badField('payment_method', 'invalid', 'Invalid payment method'),
        details: { errors: list(['payment_method', 'invalid']) },
      });
      expect(dataOf(await door.createRecharge(live, pixOf('100.00'))).amount).toBe('100.00');
    });

    it('a period that ends before it starts among them', async () => {
      const { live } = await stage.server.createTeam();
      const period = { start_date: '2026-11-02', end_date: '2026-11-01' };
      expectRefusal(await door.transactions(live, { ...period, limit: 101, type: 'refund' }), {
        ...badField('limit', 'invalid'),
        details: { errors: list(['limit', 'invalid'], ['type', 'invalid'], ['start_date', 'after_end']) },
      });
      // What is no day is neither before nor after another.
      expectRefusal(await door.transactions(live, { ...period, end_date: '2026-02-30' }), {
        ...badField('end_date', 'invalid'),
        details: { errors: list(['end_date', 'invalid']) },
      });
    });

    it('a private host and a missing event type among them', async () => {
      const { live } = await stage.server.createTeam();
      const document = `mutation ($url: WebhookUrl!, $events: [EventType!]!) {
      outcome: createWebhook(url: $url, events: $events) { id }
    }`;
      const create = async (input: object) =>
        door.name === 'REST'
          ? outcomeOf(await stage.server.rest('POST', '/api/v1/webhooks', { key: live, body: input }))
          : graphqlOutcomeOf(await stage.server.graphql(document, input, live));
      const url = 'https://127.0.0.1/hooks';
      for (const [events, ...others] of [
        [['wallet.debit']],
        [[], ['events', 'required']],
        [
          ['wallet.debit', 'nothing'],
          ['events.1', 'invalid'],
        ],
        [null, ['events', 'required']],
      ] as [unknown, ...[string, string][]][]) {
        const refused = await create({ url, events });
        expectRefusal(refused, { status: 400, code: 'VALIDATION_ERROR', message: 'Invalid URL' });
        if (refused.ok) continue;
        const [first, ...rest] = refused.error.details.errors;
        expect(first.field).toBe('url');
        expect(rest).toEqual(list(...others));
      }
      expectRefusal(await create({ url: 'ftp://example.com', events: [] }), {
        ...badField('url', 'invalid', 'Invalid URL'),
        details: { errors: list(['url', 'invalid'], ['events', 'required']) },
      });
    });

    it('those of travellers that need no offer to be seen among them', async () => {
      const { live } = await stage.server.createTeam();
      const passport = { type: 'passport', number: 'FZ123456', issuing_country: 'Brasil', expires_on: 2030 };
      const refuses = async (request: object, ...faults: [string, string][]) =>
        expectRefusal(
          await door.createBooking(live, {
            offerId: 'off_1',
            type: 'instant',
            passengers: [sound],
            payments: [paid],
            ...request,
          }),
          { ...badField(...(faults[0] as [string, string])), details: { errors: list(...faults) } },
        );
      await refuses(
        {
          type: 'later',
          passengers: [
            { ...sound, given_name: ' ', born_on: '2026-11-18', gender: 'female', email: 'ana' },
            { ...sound, family_name: null, phone_number: '11987654321', identity_document: passport },
            { ...sound, id: 1, identity_document: { type: 'cnh', number: '' } },
            null,
            [],
          ],
        },
        ['type', 'invalid'],
        ['passengers.0.given_name', 'required'],
        ['passengers.0.born_on', 'future'],
        ['passengers.0.gender', 'invalid'],
        ['passengers.0.email', 'invalid'],
        ['passengers.1.id', 'repeated'],
        ['passengers.1.family_name', 'required'],
        ['passengers.1.phone_number', 'invalid'],
        ['passengers.1.identity_document.issuing_country', 'invalid'],
        ['passengers.1.identity_document.expires_on', 'invalid'],
        ['passengers.2.id', 'invalid'],
        ['passengers.2.identity_document.type', 'invalid'],
        ['passengers.2.identity_document.number', 'required'],
        ['passengers.3', 'required'],
        ['passengers.4', 'invalid'],
      );
      // Documents that are sound are one as well, whatever else is wrong.
      await refuses(
        { passengers: [sound, { ...sound, id: 'pas_2', given_name: 1 }] },
        ['passengers.1.given_name', 'invalid'],
        ['passengers.1.identity_document.number', 'repeated'],
      );
      await refuses(
        {
          passengers: Array.from({ length: 10 }, () => ({ ...sound, identity_document: 'cpf' })),
          type: null,
        },
        ['type', 'required'],
        ...Array.from({ length: 10 }, (_one, index): [string, string][] => [
          ...(index > 0 && index < 9 ? [[`passengers.${index}.id`, 'repeated'] as [string, string]] : []),
          [`passengers.${index}.identity_document`, 'invalid'],
        ]).flat(),
        ['passengers', 'too_large'],
      );
      for (const none of ['', '1990-02-29', '1990-13-01', '1990-1-1', '01/05/1990', '1990-05-01T00:00:00Z']) {
        const identity_document = { ...passport, issuing_country: 'BR', expires_on: none };
        await refuses(
          { passengers: [{ ...sound, born_on: none, identity_document }] },
          ['passengers.0.born_on', 'invalid'],
          ['passengers.0.identity_document.expires_on', 'invalid'],
        );
      }
      await refuses({ type: 1 }, ['type', 'invalid']);
      // No more are named than a hundred: there may be millions.
      await refuses(
        { type: 'later', passengers: Array.from({ length: 150 }, () => null) },
        ['type', 'invalid'],
        ...Array.from({ length: 99 }, (_one, index): [string, string] => [`passengers.${index}`, 'required']),
      );
    });

    it.each<[string, object, [string, string][]]>([
      ['none of an instant booking', { type: 'instant' }, [['payments', 'required']]],
      ['null', { type: 'instant', payments: null }, [['payments', 'required']]],
      ['none of a hold', { type: 'hold' }, []],
      ['a list of none', { type: 'hold', payments: [] }, [['payments', 'required']]],
      ['two', { type: 'hold', payments: [paid, paid] }, [['payments', 'too_many']]],
      [
        'two, one of them of no amount',
        { type: 'hold', payments: [{ ...paid, amount: 'x' }, paid] },
        [
          ['payments.0.amount', 'invalid'],
          ['payments', 'too_many'],
        ],
      ],
      ['no list', { type: 'instant', payments: 'balance' }, [['payments', 'invalid']]],
    ])('the payments of a booking among them: %s', async (_what, request, faults) => {
      const { live } = await stage.server.createTeam();
      const refuses = async (input: object, ...others: [string, string][]) => {
        const booking = { offerId: 'off_1', passengers: [sound], ...request, ...input };
        const errors = list(...others, ...faults);
        expectRefusal(await door.createBooking(live, booking), {
          status: 400,
          code: 'VALIDATION_ERROR',
          message: 'Invalid request parameters',
          details: { ...errors[0], errors },
        });
      };
      await refuses({ passengers: [{ ...sound, gender: 1 }] }, ['passengers.0.gender', 'invalid']);
      await refuses({ offerId: null, passengers: null }, ['offerId', 'required'], ['passengers', 'required']);
    });

    it('the payments of a confirmation among them', async () => {
      const { live } = await stage.server.createTeam();
      const payments = [{ ...paid, type: 'card' }, paid];
      expectRefusal(await door.confirmBooking(live, 'ord_1', { payments }), {
        ...badField('payments.0.type', 'invalid'),
        details: { errors: list(['payments.0.type', 'invalid'], ['payments', 'too_many']) },
      });
    });

    it('an Idempotency-Key that can be none after them', async () => {
      const { live } = await stage.server.createTeam();
      const idempotencyKey = 'x'.repeat(256);
      const ofKey: [string, string] = ['Idempotency-Key', 'invalid'];
      const refuses = async (input: object, message: string, ...faults: [string, string][]) =>
        expectRefusal(await door.createRecharge(live, { ...pixOf('100.00'), ...input }, { idempotencyKey }), {
          ...badField(...(faults[0] as [string, string]), message),
          details: { errors: list(...faults) },
        });
      const invalid = 'Invalid request parameters';
      await refuses({}, invalid, ofKey);
      await refuses({ amount: 'x' }, invalid, ['amount', 'invalid'], ofKey);
      await refuses({ amount: '1' }, 'Minimum amount is R$ 100.00', ['amount', 'too_small'], ofKey);
      await refuses(
        { amount: '1', payment_method: 'cheque' },
        'Minimum amount is R$ 100.00',
        ['amount', 'too_small'],
        ['payment_method', 'invalid'],
        ofKey,
      );
      const booking = { offerId: 'off_1', type: 'instant', passengers: [{ ...sound, email: 'ana' }] };
      expectRefusal(await door.createBooking(live, booking, { idempotencyKey }), {
        ...badField('passengers.0.email', 'invalid'),
        details: { errors: list(['passengers.0.email', 'invalid'], ['payments', 'required'], ofKey) },
      });
      // What creates nothing takes none.
      const period = { start_date: '2026-11-02', end_date: '2026-11-01', limit: 0 };
      expectRefusal(await door.transactions(live, period, { idempotencyKey }), {
        ...badField('limit', 'invalid'),
        details: { errors: list(['limit', 'invalid'], ['start_date', 'after_end']) },
      });
    });

    // Operators have no other door, and clients of REST cannot name members as they like.
    if (door.name !== 'GraphQL') return;
    const dismissing = 'dismissPayment(id: $id, note: $note)';
    const debiting = 'debitReturnedPayment(id: $id, amount: $amount)';
    it.each<[string, string, string, Json, [string, string][]]>([
      ['a note of nothing', dismissing, '$note: String!', { note: ' ' }, [['note', 'required']]],
      ['a long note', dismissing, '$note: String!', { note: 'x'.repeat(501) }, [['note', 'too_long']]],
      ['a debit of nothing', debiting, '$amount: Amount', { amount: '0.00' }, [['amount', 'too_small']]],
      ['no fault of a debit of all', debiting, '$amount: Amount', { amount: null }, []],
    ])('%s of an operator among them', async (_case, asked, declared, given, faults) => {
      const { server } = stage;
      const document = `mutation ($id: String!, ${declared}) { outcome: ${asked} { id } }`;
      const answer = await server.graphql(document, { id: 1, ...given }, server.keys.operator);
      expectRefusal(graphqlOutcomeOf(answer), {
        ...badField('id', 'invalid'),
        details: { errors: list(['id', 'invalid'], ...faults) },
      });
    });

    it('those of a webhook’s headers and description under its variables’ names', async () => {
      const { live } = await stage.server.createTeam();
      const document = `mutation ($address: WebhookUrl!, $about: String, $more: [WebhookHeaderInput!]) {
      outcome: createWebhook(url: $address, events: ["wallet.debit"], description: $about, headers: $more) { id }
    }`;
      const more = [
        { name: 'X-Sound', value: 'sound' },
        { name: 'Content-Type', value: 'text/plain' },
      ];
      const variables = { address: 'nowhere', about: 'x'.repeat(501), more };
      expectRefusal(graphqlOutcomeOf(await stage.server.graphql(document, variables, live)), {
        ...badField('address', 'invalid', 'Invalid URL'),
        details: { errors: list(['address', 'invalid'], ['about', 'too_long'], ['more.1', 'invalid']) },
      });
    });
  },
  { describeOn: describeOneEngine },
);
