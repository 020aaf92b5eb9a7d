import { describe, expect, it } from 'vitest';
import { badField, dataOf, expectRefusal } from '../doors/door.ts';
import type { Json } from '../harness/client.ts';
import {
  agencyWith,
  balancePayment,
  describeBookings,
  family,
  inHours,
  moneyOf,
  offered,
  requestFor,
  travellersOf,
  unprocessable,
} from './bookingSteps.ts';

describeBookings('creating bookings', (stage) => {
  describe('is refused', () => {
    it('with an offer that is unknown, another team’s or another mode’s', async () => {
      const { live, test } = await agencyWith(stage, '1000.00');
      const other = await agencyWith(stage, null);
      const offer = await offered(stage, live);
      const notFound = { status: 404, code: 'NOT_FOUND', message: 'Offer not found' };
      expectRefusal(await stage.door.createBooking(other.live, requestFor(offer)), notFound);
      expectRefusal(await stage.door.createBooking(test, requestFor(offer)), notFound);
      for (const id of ['off_unknown', 'off_01h455vb4pex5vsknk084sn02q', offer.id.toUpperCase()])
        expectRefusal(await stage.door.createBooking(live, requestFor({ ...offer, id })), notFound);
    });

    it('with an offer that has expired, from the instant on', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const offer = await offered(stage, live);
      expect(offer.expires_at).toBe(stage.clock.isoIn(20 * 60_000));
      stage.clock.advance(20 * 60_000);
      expectRefusal(
        await stage.door.createBooking(live, requestFor(offer)),
        unprocessable('Offer expired', 'OFFER_EXPIRED', { offer_id: offer.id, expires_at: offer.expires_at }),
      );
      stage.clock.advance(-1);
      expect(dataOf(await stage.door.createBooking(live, requestFor(offer))).status).toBe('confirmed');
    });

    it('from the departure on, at which an offer found just before midnight expires', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      stage.clock.set('2026-11-17T23:55:00.000-03:00');
      const terms = { route: 'BSB-MIA', holdUntil: inHours(stage, 1) };
      const offer = await offered(stage, live, terms, undefined, '2026-11-18');
      expect(offer.slices[0].segments[0].departing_at).toBe('2026-11-18T00:10:00');
      const identity_document = {
        type: 'passport',
        number: 'AB123456',
        issuing_country: 'BR',
        expires_on: '2030-01-01',
      };
      const passengers = travellersOf(offer).map((traveller) => ({ ...traveller, identity_document }));
      const request = (type: 'instant' | 'hold') => ({ ...requestFor(offer, type), passengers });
      const hold = dataOf(await stage.door.createBooking(live, request('hold')));
      const expires_at = '2026-11-18T03:10:00.000Z';
      expect([offer.expires_at, hold.payment_required_by]).toEqual([expires_at, expires_at]);
      stage.clock.set(expires_at);
      const refusal = unprocessable('Offer expired', 'OFFER_EXPIRED', { offer_id: offer.id, expires_at });
      expectRefusal(await stage.door.createBooking(live, request('instant')), refusal);
      expectRefusal(await stage.door.createBooking(live, request('hold')), refusal);
      stage.clock.advance(-1);
      expect(dataOf(await stage.door.createBooking(live, request('instant'))).status).toBe('confirmed');
    });

    it('to hold an offer from the time on until which its price is guaranteed, though it may be paid later', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const guaranteedUntil = inHours(stage, 0.1);
      const offer = await offered(stage, live, { holdUntil: inHours(stage, 0.2), guaranteedUntil });
      const guaranteed = guaranteedUntil.toISOString();
      expect(offer.payment_requirements.price_guarantee_expires_at).toBe(guaranteed);
      const hold = dataOf(await stage.door.createBooking(live, requestFor(offer, 'hold')));
      expect(hold.payment_required_by).toBe(guaranteed);
      stage.clock.set(guaranteed);
      expectRefusal(
        await stage.door.createBooking(live, requestFor(offer, 'hold')),
        unprocessable('Offer expired', 'OFFER_EXPIRED', {
          offer_id: offer.id,
          payment_required_by: guaranteed,
        }),
      );
    });

    it('to hold an offer from the time on that it must be paid by, though it has not expired', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const guaranteedUntil = inHours(stage, 0.2);
      const offer = await offered(stage, live, { holdUntil: inHours(stage, 0.1), guaranteedUntil });
      const { payment_required_by: deadline } = offer.payment_requirements;
      stage.clock.set(deadline);
      expectRefusal(
        await stage.door.createBooking(live, requestFor(offer, 'hold')),
        unprocessable('Offer expired', 'OFFER_EXPIRED', {
          offer_id: offer.id,
          payment_required_by: deadline,
        }),
      );
      expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
      expect(dataOf(await stage.door.createBooking(live, requestFor(offer))).status).toBe('confirmed');
      stage.clock.advance(-1);
      const inTime = await offered(stage, live, { price: '600.00', holdUntil: new Date(deadline) });
      expect(dataOf(await stage.door.createBooking(live, requestFor(inTime, 'hold'))).status).toBe('pending');
    });

    it.each(['399.99', '400.01', '4000.00', '0.01', '0'])(
      'with a payment of %s, and both amounts',
      async (amount) => {
        const { live } = await agencyWith(stage, '1000.00');
        const offer = await offered(stage, live);
        const wrong = { ...requestFor(offer), payments: balancePayment(amount) };
        expectRefusal(
          await stage.door.createBooking(live, wrong),
          unprocessable('Payment amount does not match', 'VALIDATION_ERROR', {
            amount: amount === '0' ? '0.00' : amount,
            client_amount: '400.00',
          }),
        );
        expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
      },
    );

    const wrongRequests: [string, (request: Json) => Json, Json][] = [
      ['no payment', ({ payments, ...rest }) => rest, badField('payments', 'required')],
      ['no payment in its list', (r) => ({ ...r, payments: [] }), badField('payments', 'required')],
      [
        'two payments',
        (r) => ({ ...r, payments: [...r.payments, ...r.payments] }),
        badField('payments', 'too_many'),
      ],
      [
        'another way to pay',
        (r) => ({ ...r, payments: [{ ...r.payments[0], type: 'card' }] }),
        badField('payments.0.type', 'invalid'),
      ],
      [
        'another currency',
        (r) => ({ ...r, payments: [{ ...r.payments[0], currency: 'USD' }] }),
        badField('payments.0.currency', 'invalid', 'Invalid currency'),
      ],
      [
        'an amount that is a number',
        (r) => ({ ...r, payments: [{ ...r.payments[0], amount: 400 }] }),
        badField('payments.0.amount', 'invalid'),
      ],
      [
        'three decimals',
        (r) => ({ ...r, payments: [{ ...r.payments[0], amount: '400.000' }] }),
        badField('payments.0.amount', 'invalid'),
      ],
      ['another type', (r) => ({ ...r, type: 'later' }), badField('type', 'invalid')],
      ['no type', ({ type, ...rest }) => rest, badField('type', 'required')],
      ['no offer', ({ offerId, ...rest }) => rest, badField('offerId', 'required')],
      ['no passengers', ({ passengers, ...rest }) => rest, badField('passengers', 'required')],
      ['an empty list of them', (r) => ({ ...r, passengers: [] }), badField('passengers', 'missing')],
      [
        'a passenger without a name',
        (r) => ({ ...r, passengers: [{ ...r.passengers[0], given_name: ' ' }] }),
        badField('passengers.0.given_name', 'required'),
      ],
      [
        'an adult who is a child',
        (r) => ({ ...r, passengers: [{ ...r.passengers[0], born_on: '2019-05-01' }] }),
        badField('passengers.0.born_on', 'age'),
      ],
      [
        'a passenger of another offer',
        (r) => ({ ...r, passengers: [{ ...r.passengers[0], id: 'pas_other' }] }),
        badField('passengers.0.id', 'unknown'),
      ],
    ];

    it.each(wrongRequests)('with %s', async (_what, change, refusal) => {
      const { live } = await agencyWith(stage, null);
      const offer = await offered(stage, live);
      const outcome = await stage.door.createBooking(live, change(requestFor(offer)));
      expectRefusal(outcome, refusal);
    });

    it.each<[string, string, object[], string]>([
      ['too many', 'hold', [...balancePayment('400.00'), ...balancePayment('400.00')], 'too_many'],
      ['no', 'instant', [], 'required'],
    ])(
      'with a passenger who is none and %s payments, and names both',
      async (_what, type, payments, fault) => {
        const { live } = await agencyWith(stage, null);
        const request = requestFor(await offered(stage, live));
        const passengers = [{ ...request.passengers[0], given_name: '1' }];
        expectRefusal(await stage.door.createBooking(live, { ...request, type, passengers, payments }), {
          ...badField('passengers.0.given_name', 'invalid'),
          details: {
            errors: [
              { field: 'passengers.0.given_name', type: 'invalid' },
              { field: 'payments', type: fault },
            ],
          },
        });
      },
    );

    it('with every fault of every passenger at once, under the names that the client used', async () => {
      const { live } = await agencyWith(stage, null);
      const offer = await offered(stage, live, {}, family);
      const [first, second, third, infant] = travellersOf(offer);
      const { infant_passenger_id: _, ...lonely } = first;
      const passengers = [
        { ...lonely, email: 'nobody', phone_number: '11987654321' },
        { ...second, identity_document: { type: 'passport', number: 'FX123456' } },
        { ...third, born_on: '1990-05-01' },
        infant,
      ];
      const outcome = await stage.door.createBooking(live, { ...requestFor(offer), passengers });
      expectRefusal(outcome, {
        ...badField('passengers.0.email', 'invalid'),
        details: {
          errors: [
            { field: 'passengers.0.email', type: 'invalid' },
            { field: 'passengers.0.phone_number', type: 'invalid' },
            { field: 'passengers.1.identity_document.issuing_country', type: 'required' },
            { field: 'passengers.1.identity_document.expires_on', type: 'required' },
            { field: 'passengers.2.born_on', type: 'age' },
            { field: 'passengers.3.id', type: 'adult_required' },
          ],
        },
      });
    });

    it('with a phone number that is none outside of its country', async () => {
      const { live } = await agencyWith(stage, null);
      const offer = await offered(stage, live);
      for (const phone_number of ['+55011987654321', '+4402071838750']) {
        const passengers = [{ ...travellersOf(offer)[0], phone_number }];
        const outcome = await stage.door.createBooking(live, { ...requestFor(offer), passengers });
        expectRefusal(outcome, badField('passengers.0.phone_number', 'invalid'));
      }
    });

    it('with a passport that has expired when its flight leaves, though the day of its landing comes before', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const offer = await offered(stage, live, { route: 'HND-SFO' }, undefined, '2027-01-10');
      const { departing_at, arriving_at } = offer.slices[0].segments[0];
      expect([departing_at, arriving_at]).toEqual(['2027-01-10T00:55:00', '2027-01-09T17:55:00']);
      const createWith = (expires_on: string) => {
        const passport = { type: 'passport', number: 'AB123456', issuing_country: 'BR', expires_on };
        const passengers = [{ ...travellersOf(offer)[0], identity_document: passport }];
        return stage.door.createBooking(live, { ...requestFor(offer), passengers });
      };
      const field = 'passengers.0.identity_document.expires_on';
      expectRefusal(await createWith('2027-01-09'), badField(field, 'expired'));
      expect(dataOf(await createWith('2027-01-10')).status).toBe('confirmed');
    });

    it('with faults of types and against rules, in the order of the request', async () => {
      const { live } = await agencyWith(stage, null);
      const offer = await offered(stage, live, {}, family);
      const [first, second, ...others] = travellersOf(offer);
      const passengers = [{ ...first, email: 'nobody' }, { ...second, given_name: 7 }, ...others];
      const outcome = await stage.door.createBooking(live, { ...requestFor(offer), passengers } as never);
      expectRefusal(outcome, {
        ...badField('passengers.0.email', 'invalid'),
        details: {
          errors: [
            { field: 'passengers.0.email', type: 'invalid' },
            { field: 'passengers.1.given_name', type: 'invalid' },
          ],
        },
      });
    });
  });
});
