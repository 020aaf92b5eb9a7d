import { expect, it } from 'vitest';
import { dataOf } from '../doors/door.ts';
import { pdfSquares, pdfWords } from '../harness/pdfContent.ts';
import { readQrModules } from '../harness/qrCode.ts';
import { dayMs } from '../harness/testClock.ts';
import { ticketed } from './airline.ts';
import type { BookingStage } from './bookingSteps.ts';
import { agencyWith, booked, offered, requestFor, untilStatus } from './bookingSteps.ts';

const dayOf = (instant: string) =>
  new Intl.DateTimeFormat('pt-BR', { timeZone: 'America/Sao_Paulo' }).format(new Date(instant));

/** What the receipts behind the links of bookings say of these, as part of what is told of tickets. */
export function describeShownReceipts(stage: BookingStage): void {
  const { airline } = stage;

  const receiptOf = async (booking: { eticket_url: string }) =>
    Buffer.from(await (await fetch(booking.eticket_url)).arrayBuffer());

  it('are shown with what was booked, issued, paid and given back', async () => {
    const { live, teamId } = await agencyWith(stage, '1000.00');
    const party = [
      { type: 'adult', count: 1 },
      { type: 'child', count: 1 },
    ];
    const offer = await offered(stage, live, { price: '321.09', penalty: '100.00' }, party);
    const { id } = dataOf(await stage.door.createBooking(live, requestFor(offer)));
    stage.clock.advance(dayMs);
    airline.answers.issue = async (request) => {
      const { state, documents } = ticketed(request);
      return { state, documents: documents.toReversed() };
    };
    const issued = await untilStatus(stage, live, id, 'ticketed');
    const [team] = await stage.server.query<{ name: string }>('SELECT name FROM teams WHERE id = $1', [
      teamId,
    ]);
    const [adult, child] = issued.passengers;
    const hidden = (number: string) => `CPF ********${number.slice(-3)}`;
    const pdf = await receiptOf(issued);
    const words = pdfWords(pdf);
    for (const expected of [
      `Recibo de bilhete eletrônico ${team?.name} LOCALIZADOR ${issued.booking_reference} Situação Emitido`,
      `Reservado em ${dayOf(issued.created_at)} Emitido em ${dayOf(issued.ticketed_at)}`,
      `Tarifa ${offer.passengers[0].fare_brand_name} Passageiros`,
      `1 Ana Souza SOUZA/ANA Adulto ${hidden(adult.identity_document.number)} 957-0000000000`,
      `2 José Souza SOUZA/JOSE Criança ${hidden(child.identity_document.number)} 957-0000000001`,
      'Trecho 1: São Paulo (GRU) – Rio de Janeiro (GIG)',
      'Total pago R$ 321,09 Reembolso antes da partida possível, com multa de R$ 100,00',
      'Alteração antes da partida não é possível',
    ])
      expect(words).toContain(expected);
    expect(dayOf(issued.created_at)).not.toBe(dayOf(issued.ticketed_at));
    expect(words).not.toContain('SEM VALOR');
    expect(readQrModules(pdfSquares(pdf))).toBe(issued.eticket_url);
    const cancelled = pdfWords(await receiptOf(dataOf(await stage.door.cancelBooking(live, id))));
    expect(cancelled).toContain('Situação Cancelado');
    expect(cancelled).toContain('Total pago R$ 321,09 Reembolsado R$ 221,09');
  });

  it('are shown with all tickets of a traveller, whose journey may take more than one', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    airline.answers.issue = async (request) => {
      const { state, documents } = ticketed(request);
      const conjunction = documents.map((one) => ({ ...one, uniqueIdentifier: '957-0000000009' }));
      return { state, documents: [...documents, ...conjunction] };
    };
    const { id } = await booked(stage, live);
    const issued = await untilStatus(stage, live, id, 'ticketed');
    expect(issued.documents).toHaveLength(2);
    expect(pdfWords(await receiptOf(issued))).toContain('957-0000000000 957-0000000009');
  });

  it.each([
    ['ends', '2027-11-06T21:25:00', '2027-11-07T05:55:00', '9h30'],
    ['begins', '2027-03-13T20:25:00', '2027-03-14T05:55:00', '8h30'],
  ])('are shown with how long is waited in a night in which summer time %s', async (_, from, until, wait) => {
    const { live } = await agencyWith(stage, '1000.00');
    airline.answers.issue = async (request) => ticketed(request);
    const terms = { route: 'GRU-DEN', changeTo: until };
    const offer = await offered(stage, live, terms, undefined, from.slice(0, 10));
    expect(offer.slices[0].segments).toMatchObject([{ arriving_at: from }, { departing_at: until }]);
    const request = requestFor(offer);
    const passport = {
      type: 'passport',
      number: 'FX123456',
      issuing_country: 'BR',
      expires_on: '2035-01-01',
    };
    request.passengers[0].identity_document = passport;
    const { id } = dataOf(await stage.door.createBooking(live, request));
    const words = pdfWords(await receiptOf(await untilStatus(stage, live, id, 'ticketed')));
    expect(words).toContain(`Conexão em Nova York (JFK): ${wait} de espera`);
  });

  it('of a test key are shown as what nobody can fly with', async () => {
    const { test } = await agencyWith(stage, null);
    airline.answers.issue = async (request) => ticketed(request);
    const { id } = await booked(stage, test);
    const issued = await untilStatus(stage, test, id, 'ticketed');
    expect(pdfWords(await receiptOf(issued))).toContain('SEM VALOR — AMBIENTE DE TESTE');
  });
}
