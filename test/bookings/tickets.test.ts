import { expect, it } from 'vitest';
import { applyTransition } from '../../src/domain/bookings/change.ts';
import { eticketLink } from '../../src/domain/bookings/eticket.ts';
import type { OrderRequest } from '../../src/infrastructure/flights/order.ts';
import { dataOf, expectRefusal } from '../doors/door.ts';
import { eventually } from '../harness/client.ts';
import { pdfTexts } from '../harness/pdfContent.ts';
import { ticketed } from './airline.ts';
import {
  agencyWith,
  booked,
  carrierReferenceOf,
  conflict,
  describeBookings,
  held,
  moneyOf,
  toldOf,
  typesOf,
  untilAsked,
  untilStatus,
} from './bookingSteps.ts';
import { describeRepeatedAskings } from './repeatedAskings.ts';
import { describeShownReceipts } from './shownReceipts.ts';

describeBookings('tickets', (stage) => {
  const { airline } = stage;
  it('are issued by the airline, recorded and told', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    airline.answers.issue = async (request) => ticketed(request);
    const paid = await booked(stage, live);
    const done = await untilStatus(stage, live, paid.id, 'ticketed');
    const documents = [
      {
        type: 'electronic_ticket',
        unique_identifier: '957-0000000000',
        passenger_id: paid.passengers[0].id,
      },
    ];
    expect(done).toEqual({
      ...paid,
      status: 'ticketed',
      documents,
      eticket_url: expect.stringMatching(/^http:.+\/etickets\/ord_\w+\.pdf\?signature=/),
      ticketed_at: expect.any(String),
      updated_at: done.ticketed_at,
    });
    const told = await toldOf(stage, paid.id);
    expect(typesOf(told)).toEqual([
      'booking.created',
      'wallet.debit',
      'booking.confirmed',
      'booking.ticketed',
      'booking.updated',
    ]);
    for (const { data } of told.slice(3)) {
      expect(data.object).toMatchObject({ id: paid.id, status: 'ticketed', documents });
      expect(data.previous_attributes).toEqual({ status: 'confirmed', documents: [] });
    }
    expect(await moneyOf(stage.door, live)).toEqual(['600.00', '600.00', '0.00']);
    const { pathname, search } = new URL(done.eticket_url);
    const receipt = await fetch(stage.server.url + pathname + search);
    expect([receipt.status, receipt.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    // The link is the permission: it travels on to nobody.
    expect(receipt.headers.get('referrer-policy')).toBe('no-referrer');
    expect(receipt.headers.get('cache-control')).toBe('private, no-cache');
    expect(receipt.headers.get('content-disposition')).toBe(
      `inline; filename="eticket-${done.booking_reference}.pdf"`,
    );
    expect((await receipt.text()).slice(0, 5)).toBe('%PDF-');
  });

  it('are shown to who has the whole link to their receipt, and to nobody else', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const waiting = await booked(stage, live, { price: '100.00' });
    airline.answers.issue = async (request) =>
      request.bookingId === waiting.id ? { state: 'issuing' } : ticketed(request);
    const issued = async () => {
      const { id } = await booked(stage, live);
      const { eticket_url: link } = await untilStatus(stage, live, id, 'ticketed');
      return { id, signature: new URL(link).searchParams.get('signature') ?? '' };
    };
    const [one, other] = [await issued(), await issued()];
    const read = (id: string, query: string) => fetch(`${stage.server.url}/etickets/${id}.pdf${query}`);
    const signed = (signature: string) => `?signature=${encodeURIComponent(signature)}`;
    expect((await read(one.id, signed(one.signature))).status).toBe(200);
    const changed = (one.signature.startsWith('A') ? 'B' : 'A') + one.signature.slice(1);
    const early = new URL(eticketLink(waiting.id, stage.server.running.gateway.platform)).search;
    for (const [id, query] of [
      [one.id, ''],
      [one.id, signed('')],
      [one.id, signed(changed)],
      [one.id, signed(`${one.signature}A`)],
      [one.id, signed(other.signature)],
      [other.id, signed(one.signature)],
      [waiting.id, early],
    ] as const) {
      const answer = await read(id, query);
      expect(answer.status, query).toBe(404);
      expect(await answer.json()).toMatchObject({
        error: { code: 'NOT_FOUND', message: 'E-ticket not found' },
      });
    }
  });

  it('have the carrier’s own locator as soon as the airline tells one, and until it tells another', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    airline.answers.hold = async () => ({ state: 'held', carrierReference: 'HELDAA' });
    const pending = await held(stage, live);
    await eventually(async () => {
      stage.clock.advance(250);
      return (await carrierReferenceOf(stage, live, pending.id)) === 'HELDAA';
    });
    const rest = await stage.server.rest('GET', `/api/v1/bookings/${pending.id}`, { key: live });
    expect(rest.text).not.toMatch(/carrier_?reference|HELDAA/i);
    dataOf(await stage.door.confirmBooking(live, pending.id));
    await untilAsked(stage, pending.id, 'issue', 3);
    expect(await carrierReferenceOf(stage, live, pending.id)).toBe('HELDAA');
    const paid = await booked(stage, live);
    expect(await carrierReferenceOf(stage, live, paid.id)).toBeNull();
    for (const told of ['ISSUED', 'REMADE']) {
      airline.answers.issue = async ({ bookingId }) => ({
        state: 'issuing',
        carrierReference: bookingId === paid.id ? told : null,
      });
      await eventually(async () => {
        stage.clock.advance(250);
        return (await carrierReferenceOf(stage, live, paid.id)) === told;
      });
    }
    airline.answers.issue = async (request) =>
      request.bookingId === paid.id
        ? { ...ticketed(request), carrierReference: 'XKPTRB' }
        : ticketed(request);
    for (const [id, reference] of [
      [paid.id, 'XKPTRB'],
      [pending.id, 'HELDAA'],
    ]) {
      const done = await untilStatus(stage, live, id, 'ticketed');
      expect(await carrierReferenceOf(stage, live, id)).toBe(reference);
      const receipt = await fetch(done.eticket_url);
      const texts = pdfTexts(Buffer.from(await receipt.arrayBuffer()));
      expect(texts).toEqual(expect.arrayContaining([reference, done.booking_reference]));
    }
    const told = await stage.server.query('SELECT data FROM events WHERE subject_id = $1', [paid.id]);
    expect(JSON.stringify(told)).not.toMatch(/XKPTRB|ISSUED|REMADE/);
  });

  it('are asked for with everything that the carrier needs, under the booking’s id', async () => {
    const { live, test } = await agencyWith(stage, '1000.00');
    const paid = await booked(stage, live);
    await untilAsked(stage, paid.id, 'issue');
    const [request] = airline.askedFor(paid.id, 'issue') as [OrderRequest];
    expect(request).toEqual({
      bookingId: paid.id,
      offerReference: expect.stringMatching(/#\d+$/),
      locator: paid.booking_reference,
      travellers: [
        {
          id: paid.passengers[0].id,
          type: 'adult',
          givenName: 'Ana',
          familyName: 'Souza',
          bornOn: '1990-05-01',
          gender: 'f',
          email: 'ana@example.com',
          phoneNumber: '+5511987654321',
          identityDocument: {
            type: 'cpf',
            number: paid.passengers[0].identity_document.number,
            issuingCountry: null,
            expiresOn: null,
          },
          infantPassengerId: null,
        },
      ],
      testMode: false,
      bookedAt: new Date(paid.created_at),
      issueFrom: new Date(paid.confirmed_at),
      note: null,
    });
    const pending = await held(stage, test);
    await untilAsked(stage, pending.id, 'hold');
    expect(airline.askedFor(pending.id, 'hold')[0]).toMatchObject({ testMode: true, issueFrom: null });
    const confirmed = dataOf(await stage.door.confirmBooking(test, pending.id));
    await untilAsked(stage, pending.id, 'issue');
    expect(airline.askedFor(pending.id, 'issue')[0]?.issueFrom).toEqual(new Date(confirmed.confirmed_at));
  });

  it('that the carrier refuses fail the booking, and the whole price comes back', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const reason = 'no fare for CPF 529.982.247-25';
    airline.answers.issue = async () => ({ state: 'refused', reason });
    const paid = await booked(stage, live, { penalty: null });
    const failed = await untilStatus(stage, live, paid.id, 'failed');
    expect(failed).toMatchObject({
      refund_amount: '400.00',
      penalty_amount: '0.00',
      refund_transaction_id: expect.stringMatching(/^txn_/),
      documents: [],
    });
    expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
    const told = await toldOf(stage, paid.id);
    expect(typesOf(told).slice(3)).toEqual(['wallet.credit', 'booking.failed', 'booking.updated']);
    expect(told[3]?.data.object).toMatchObject({ amount: '400.00', reference_type: 'refund' });
    expect(told[4]?.data.previous_attributes).toEqual({ status: 'confirmed' });
    expectRefusal(await stage.door.cancelBooking(live, paid.id), conflict('Booking already failed'));
    expectRefusal(await stage.door.confirmBooking(live, paid.id), conflict('Booking already failed'));
    const refusal = stage.server.logLines.find(
      (line) => line.includes(paid.id) && line.includes('order refused'),
    );
    expect(refusal).toContain('no fare for CPF [redacted]');
  });

  it('cannot be had where the supplier does not hold the space: the reserve comes back', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    airline.answers.hold = async () => ({ state: 'refused', reason: 'no space' });
    const pending = await held(stage, live);
    const failed = await untilStatus(stage, live, pending.id, 'failed');
    expect(failed).toEqual({
      ...pending,
      status: 'failed',
      ended_at: expect.any(String),
      updated_at: failed.ended_at,
    });
    expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
    expect(typesOf(await toldOf(stage, pending.id))).toEqual([
      'booking.created',
      'booking.failed',
      'booking.updated',
    ]);
    expect(airline.askedFor(pending.id, 'cancel')).toEqual([]);
  });

  describeShownReceipts(stage);

  describeRepeatedAskings(stage);

  it('and refusals told to who has lost the order to another asking change nothing', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const { id } = await booked(stage, live);
    const { platform } = stage.server.running.gateway;
    const [row] = await stage.server.query<{ walletId: number }>(
      'SELECT wallet_id AS "walletId" FROM bookings WHERE id = $1',
      [id],
    );
    const booking = { id, walletId: row!.walletId };
    for (const change of ['ticket', 'rejectIssue'] as const)
      expect(await applyTransition(change, booking, { token: 'lost', documents: [] }, platform)).toBeNull();
    expect(dataOf(await stage.door.getBooking(live, id)).status).toBe('confirmed');
    expect(await moneyOf(stage.door, live)).toEqual(['600.00', '600.00', '0.00']);
  });

  it('are given up when a ticketed booking is cancelled, again and again until the airline has heard', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    airline.answers.issue = async (request) => ticketed(request);
    const paid = await booked(stage, live, { penalty: '100.00' });
    await untilStatus(stage, live, paid.id, 'ticketed');
    airline.answers.cancel = async ({ bookingId }) => {
      if (airline.askedFor(bookingId, 'cancel').length < 3) throw new Error('503');
      return undefined;
    };
    const cancelled = dataOf(await stage.door.cancelBooking(live, paid.id));
    expect(cancelled).toMatchObject({ status: 'cancelled', refund_amount: '300.00' });
    expect(cancelled.documents).toHaveLength(1);
    await untilAsked(stage, paid.id, 'cancel', 3);
    await eventually(async () => {
      const [row] = await stage.server.query<{ order_task: string | null }>(
        'SELECT order_task FROM bookings WHERE id = $1',
        [paid.id],
      );
      return row?.order_task === null;
    });
    expect(airline.askedFor(paid.id, 'cancel')).toHaveLength(3);
    const last = (await toldOf(stage, paid.id)).at(-1);
    expect(last?.data.previous_attributes).toEqual({ status: 'ticketed' });
  });
});
