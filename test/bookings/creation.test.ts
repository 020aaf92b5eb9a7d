import { describe, expect, it } from 'vitest';
import { dataOf, expectRefusal, expectStatus } from '../doors/door.ts';
import type { Json } from '../harness/client.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import {
  agencyWith,
  balancePayment,
  booked,
  describeBookings,
  family,
  held,
  inHours,
  insufficientBalance,
  moneyOf,
  offered,
  requestFor,
  toldOf,
  typesOf,
  unprocessable,
} from './bookingSteps.ts';

describeBookings('creating bookings', (stage) => {
  describe('instant', () => {
    it('takes the price at once and shows the booking with every field', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const offer = await offered(stage, live, { price: '400.00' });
      const request = requestFor(offer);
      const outcome = await stage.door.createBooking(live, request);
      expectStatus(outcome, 201);
      const now = stage.clock.now().toISOString();
      const booking = dataOf(outcome);
      expect(booking).toEqual({
        id: expect.stringMatching(/^ord_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
        booking_reference: expect.stringMatching(/^[A-HJ-NP-Z2-9]{6}$/),
        type: 'instant',
        status: 'confirmed',
        total_amount: '400.00',
        currency: 'BRL',
        offer_id: offer.id,
        documents: [],
        passengers: [{ ...request.passengers[0], type: 'adult' }],
        slices: offer.slices,
        conditions: offer.conditions,
        transaction_id: expect.stringMatching(/^txn_/),
        created_at: now,
        updated_at: now,
        confirmed_at: now,
      });
      expect(await moneyOf(stage.door, live)).toEqual(['600.00', '600.00', '0.00']);
      const { transactions } = dataOf(await stage.door.transactions(live));
      expect(transactions[0]).toEqual({
        id: booking.transaction_id,
        type: 'debit',
        amount: '400.00',
        currency: 'BRL',
        description: `Booking ${booking.booking_reference}`,
        reference_type: 'booking',
        reference_id: booking.id,
        balance_after: '600.00',
        created_at: now,
      });
      expect(dataOf(await stage.otherDoor.getBooking(live, booking.id))).toEqual(booking);
    });

    it('is paid in reais whatever the airline sells in, with the agency’s markup and fee', async () => {
      const { live } = await stage.server.createTeam({ markupPercent: '10', feeAmount: '35.00' });
      const { id } = dataOf(
        await stage.door.createRecharge(live, { amount: '2000.00', currency: 'BRL', payment_method: 'pix' }),
      );
      await stage.server.rest('POST', `/simulator/recharges/${id}/pay`, { key: live });
      // 100.00 × 5.3417 = 534.17; + 10 % = 587.587; + 35.00
      expect((await booked(stage, live, { price: '100.00', currency: 'USD' })).total_amount).toBe('622.59');
      expect(await moneyOf(stage.door, live)).toEqual(['1377.41', '1377.41', '0.00']);
    });

    it('tells in events the bags of its flights, and nothing else that the supplier has of them', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const bag = { type: 'checked', quantity: 1 } as const;
      const bags = [{ ...bag, netAmount: '61.00' }];
      const booking = await booked(stage, live, { bags });
      const told = (await toldOf(stage, booking.id)).filter(({ type }) => type.startsWith('booking.'));
      expect(told).toHaveLength(2);
      for (const { slices } of [booking, ...told.map(({ data }) => data.object)])
        expect(slices[0].segments[0].passengers[0].baggages).toEqual([bag]);
    });

    it('takes a family with an infant on its adult’s lap', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const offer = await offered(stage, live, {}, family);
      const request = requestFor(offer);
      const booking = dataOf(await stage.door.createBooking(live, request));
      expect(booking.passengers).toEqual(
        request.passengers.map((passenger: Json, index: number) => ({
          ...passenger,
          type: offer.passengers[index].type,
        })),
      );
      expect(booking.passengers[0].infant_passenger_id).toBe(offer.passengers[3].id);
    });

    it('may be of the last centavo, and of none beyond', async () => {
      const { live } = await agencyWith(stage, '400.00');
      const offer = await offered(stage, live, { price: '400.01' });
      expectRefusal(await stage.door.createBooking(live, requestFor(offer)), insufficientBalance('400.01'));
      expect(await moneyOf(stage.door, live)).toEqual(['400.00', '400.00', '0.00']);
      await booked(stage, live, { price: '400.00' });
      expect(await moneyOf(stage.door, live)).toEqual(['0.00', '0.00', '0.00']);
    });

    it('may not use what holds reserve', async () => {
      const { live } = await agencyWith(stage, '500.00');
      await held(stage, live, { price: '200.00' });
      const offer = await offered(stage, live, { price: '300.01' });
      expectRefusal(await stage.door.createBooking(live, requestFor(offer)), insufficientBalance('300.01'));
      await booked(stage, live, { price: '300.00' });
      expect(await moneyOf(stage.door, live)).toEqual(['200.00', '0.00', '200.00']);
    });

    it('may take an offer that could be held', async () => {
      const { live } = await agencyWith(stage, '500.00');
      const booking = await booked(stage, live, { holdUntil: inHours(stage, 1) });
      expect(booking.status).toBe('confirmed');
      expect(booking).not.toHaveProperty('payment_required_by');
    });
  });

  describe('hold', () => {
    it('reserves the price until the offer’s payment deadline', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const holdUntil = inHours(stage, 0.1);
      const booking = await held(stage, live, { price: '250.50', holdUntil });
      const now = stage.clock.now().toISOString();
      expect(booking).toMatchObject({
        type: 'hold',
        status: 'pending',
        total_amount: '250.50',
        payment_required_by: holdUntil.toISOString(),
        documents: [],
        created_at: now,
        updated_at: now,
      });
      for (const absent of ['transaction_id', 'confirmed_at', 'eticket_url', 'refund_amount', 'ended_at'])
        expect(booking).not.toHaveProperty(absent);
      expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '749.50', '250.50']);
      const { transactions } = dataOf(await stage.door.transactions(live));
      expect(transactions.map(({ type }: Json) => type)).toEqual(['credit']);
    });

    it('must be paid before its price is withdrawn, however long the airline would wait', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const expiresAt = inHours(stage, 0.2);
      const { payment_required_by: deadline } = await held(stage, live, {
        holdUntil: inHours(stage, 48),
        expiresAt,
      });
      expect(deadline).toBe(expiresAt.toISOString());
    });

    it('may name its payment, which is then compared', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const offer = await offered(stage, live, { holdUntil: inHours(stage, 1) });
      const request = (amount: string) => ({
        ...requestFor(offer, 'hold'),
        payments: balancePayment(amount),
      });
      expectRefusal(
        await stage.door.createBooking(live, request('399.99')),
        unprocessable('Payment amount does not match', 'VALIDATION_ERROR', {
          amount: '399.99',
          client_amount: '400.00',
        }),
      );
      expect(dataOf(await stage.door.createBooking(live, request('400.00'))).status).toBe('pending');
    });

    it('is refused where the offer requires instant payment', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const offer = await offered(stage, live);
      expectRefusal(
        await stage.door.createBooking(live, requestFor(offer, 'hold')),
        unprocessable('Offer requires instant payment', 'VALIDATION_ERROR', { field: 'type' }),
      );
      expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
    });

    it('is refused above what is available', async () => {
      const { live } = await agencyWith(stage, '500.00');
      await held(stage, live, { price: '300.00' });
      const offer = await offered(stage, live, { price: '200.01', holdUntil: inHours(stage, 1) });
      expectRefusal(
        await stage.door.createBooking(live, requestFor(offer, 'hold')),
        insufficientBalance('200.01'),
      );
      expect(await moneyOf(stage.door, live)).toEqual(['500.00', '200.00', '300.00']);
    });
  });

  describe('in test mode', () => {
    it('takes and reserves nothing from a balance of 5000.00, and says so', async () => {
      const { live, test } = await agencyWith(stage, '1000.00');
      const always = ['5000.00', '5000.00', '0.00'];
      for (const price of ['5000.00', '4999.99', '0.01']) {
        const offer = await offered(stage, test, { price });
        const outcome = await stage.door.createBooking(test, requestFor(offer));
        expect(outcome.meta).toMatchObject({ test_mode: true });
        expect(dataOf(outcome)).toMatchObject({ status: 'confirmed', total_amount: price });
        expect((await held(stage, test, { price })).status).toBe('pending');
      }
      expect(await moneyOf(stage.door, test)).toEqual(always);
      expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
      const { transactions, summary } = dataOf(await stage.door.transactions(test));
      expect(transactions.map((entry: Json) => [entry.amount, entry.balance_after])).toEqual([
        ['0.01', '5000.00'],
        ['4999.99', '5000.00'],
        ['5000.00', '5000.00'],
      ]);
      expect(summary.total_debits).toBe('10000.00');
    });

    it('refuses a single price above 5000.00', async () => {
      const { test } = await agencyWith(stage, null);
      const offer = await offered(stage, test, { price: '5000.01', holdUntil: inHours(stage, 1) });
      for (const type of ['instant', 'hold'] as const) {
        const outcome = await stage.door.createBooking(test, requestFor(offer, type));
        expectRefusal(outcome, insufficientBalance('5000.01'));
        expect(outcome.meta).toMatchObject({ test_mode: true });
      }
    });
  });

  describe('low balance', () => {
    const told = async (id: string) =>
      (await toldOf(stage, id)).filter(({ type }) => type === 'wallet.low_balance');

    it('is told once, on the debit that crosses 500.00, after the booking', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const toTheLine = await booked(stage, live, { price: '500.00' });
      expect(await told(toTheLine.id)).toEqual([]);
      const across = await booked(stage, live, { price: '0.01' });
      expect(typesOf(await toldOf(stage, across.id))).toEqual([
        'booking.created',
        'wallet.debit',
        'booking.confirmed',
        'wallet.low_balance',
      ]);
      expect(await told(across.id)).toEqual([
        {
          type: 'wallet.low_balance',
          data: { object: { balance: '499.99', currency: 'BRL', threshold: '500.00' } },
        },
      ]);
      await booked(stage, live, { price: '100.00' });
      expect(await told(across.id)).toHaveLength(1);
      // No event was counted that was not told: not when the balance came down to the line either.
      expect(await ledgerBreaks(stage.server.running.gateway.platform.sequelize)).toEqual([]);
    });

    it('is not told of a hold, but of its confirmation; and again after the balance has been above', async () => {
      const { live, teamId, test } = await agencyWith(stage, '600.00');
      const { id } = await held(stage, live, { price: '200.00' });
      expect(await told(id)).toEqual([]);
      dataOf(await stage.door.confirmBooking(live, id));
      expect(await told(id)).toHaveLength(1);
      dataOf(await stage.door.cancelBooking(live, id));
      await booked(stage, live, { price: '100.01' });
      expect((await told(id)).map(({ data }) => data.object.balance)).toEqual(['400.00', '499.99']);
      const sandbox = await booked(stage, test, { price: '4800.00' });
      expect(await told(sandbox.id)).toEqual([]);
      expect(teamId).toMatch(/^team_/);
    });
  });
});
