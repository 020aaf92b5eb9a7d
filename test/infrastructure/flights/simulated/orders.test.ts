import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrderRequest, OrderState, Traveller } from '../../../../src/infrastructure/flights/order.ts';
import { simulatedOrders } from '../../../../src/infrastructure/flights/simulated/orders.ts';
import { ManualClock } from '../../../harness/manualClock.ts';
import { offers } from './searches.ts';

const start = new Date('2026-11-20T12:00:00.000Z');
const delayMs = 2_000;
const keepNote = async () => undefined;
const options = { signal: new AbortController().signal, keepNote };

const carrierReference = expect.stringMatching(/^[A-Z]{6}$/);

const traveller = (id: string, change: Partial<Traveller> = {}): Traveller => ({
  id,
  type: 'adult',
  givenName: 'Ana',
  familyName: 'Souza',
  bornOn: '1990-05-01',
  gender: 'f',
  email: 'ana@example.com',
  phoneNumber: '+5511987654321',
  identityDocument: { type: 'cpf', number: '52998224725', issuingCountry: null, expiresOn: null },
  infantPassengerId: null,
  ...change,
});

const request = (change: Partial<OrderRequest> = {}): OrderRequest => ({
  bookingId: 'ord_01',
  offerReference: 'G31402@2026-12-15T08:05:economy:LIGHT',
  locator: 'ABC234',
  travellers: [traveller('pas_1')],
  testMode: false,
  bookedAt: start,
  issueFrom: start,
  note: null,
  ...change,
});

/** How an order stands so many milliseconds after the start, asked of a process that has just started. */
const issuedAfter = (elapsedMs: number, order: OrderRequest, delay = delayMs): Promise<OrderState> =>
  simulatedOrders(new ManualClock(new Date(start.getTime() + elapsedMs)), delay).issue(order, options);

async function numbersOf(order: OrderRequest): Promise<string[]> {
  const state = await issuedAfter(delayMs, order);
  if (state.state !== 'ticketed') throw new Error(`${state.state}, not ticketed`);
  return state.documents.map(({ uniqueIdentifier }) => uniqueIdentifier);
}

const sandbox = (familyName: string, change: Partial<OrderRequest> = {}) =>
  request({
    testMode: true,
    travellers: [traveller('pas_1'), traveller('pas_2', { familyName })],
    ...change,
  });

describe('orders of the simulated supplier', () => {
  const desk = simulatedOrders(new ManualClock(start), delayMs);

  it('are held', async () => {
    expect(await desk.hold(request({ issueFrom: null }), options)).toEqual({
      state: 'held',
      carrierReference,
    });
  });

  it.each([
    [0, 'issuing'],
    [delayMs - 1, 'issuing'],
    [delayMs, 'ticketed'],
    [delayMs * 1_000_000, 'ticketed'],
  ])('%i ms after issuing was asked for are %s', async (elapsedMs, state) => {
    const held = request({ bookedAt: new Date(start.getTime() - 3_600_000), issueFrom: start });
    expect((await issuedAfter(elapsedMs, held)).state).toBe(state);
    expect((await issuedAfter(elapsedMs, request({ issueFrom: null }))).state).toBe(state);
  });

  it('may be issued at once', async () => {
    expect((await issuedAfter(0, request(), 0)).state).toBe('ticketed');
  });

  it('have a ticket for each traveller, infants too, on the stock of the first airline', async () => {
    const travellers = [
      traveller('pas_1', { infantPassengerId: 'pas_2' }),
      traveller('pas_2', { type: 'infant_without_seat' }),
    ];
    const state = await issuedAfter(delayMs, request({ travellers }));
    expect(state).toEqual({
      state: 'ticketed',
      documents: ['pas_1', 'pas_2'].map((passengerId) => ({
        type: 'electronic_ticket',
        uniqueIdentifier: expect.stringMatching(/^127-\d{10}$/),
        passengerId,
      })),
      carrierReference,
    });
  });

  it('have one locator of the carrier each, the same from the first answer on', async () => {
    const references = async (order: OrderRequest) => {
      const states = [
        await desk.hold(order, options),
        await issuedAfter(0, order),
        await issuedAfter(delayMs, order),
      ];
      return states.map((state) => state.state !== 'refused' && state.carrierReference);
    };
    const [first, ...others] = await references(request());
    expect(first).toMatch(/^[A-Z]{6}$/);
    expect(others).toEqual([first, first]);
    expect(await references(request({ bookingId: 'ord_02' }))).not.toContain(first);
  });

  it('are numbered by the airline of an offer that the supplier made', async () => {
    const found = await offers({ slices: ['GRU-LIS'] });
    const offer = found.find(
      ({ owner, slices }) => owner.iataCode === 'TP' && slices[0]!.segments.length === 1,
    )!;
    expect((await numbersOf(request({ offerReference: offer.reference })))[0]).toMatch(/^047-\d{10}$/);
  });

  it('have numbers of their own, the same whoever asks and in whatever order the travellers stand', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uuid(), fc.integer({ min: 1, max: 9 }), async (bookingId, count) => {
        const travellers = Array.from({ length: count }, (_, index) => traveller(`pas_${index}`));
        const numbers = await numbersOf(request({ bookingId, travellers }));
        expect(new Set(numbers).size).toBe(count);
        for (const number of numbers) expect(number).toMatch(/^127-\d{10}$/);
        const turned = await numbersOf(request({ bookingId, travellers: travellers.toReversed() }));
        expect(turned.toReversed()).toEqual(numbers);
      }),
    );
    const bookings = Array.from({ length: 1_000 }, (_, index) => request({ bookingId: `ord_${index}` }));
    expect(new Set((await Promise.all(bookings.map(numbersOf))).flat()).size).toBe(1_000);
  });

  it('can be cancelled, made or not', async () => {
    await expect(desk.cancel(request(), options)).resolves.toBeUndefined();
  });

  it.each(['hold', 'issue', 'cancel'] as const)(
    'are not touched once the caller has cut off: %s',
    async (verb) => {
      const reason = new Error('cut');
      await expect(desk[verb](request(), { signal: AbortSignal.abort(reason), keepNote })).rejects.toBe(
        reason,
      );
    },
  );
});

describe('magic names', () => {
  const desk = simulatedOrders(new ManualClock(start), delayMs);

  it.each(['HOLDFAIL', 'holdfail', ' HoldFail '])('%j is refused a hold, and only that', async (name) => {
    expect(await desk.hold(sandbox(name), options)).toMatchObject({ state: 'refused' });
    expect((await issuedAfter(delayMs, sandbox(name))).state).toBe('ticketed');
  });

  it('TICKETFAIL is refused when the tickets would have been issued', async () => {
    expect((await desk.hold(sandbox('TICKETFAIL'), options)).state).toBe('held');
    expect((await issuedAfter(delayMs - 1, sandbox('TicketFail'))).state).toBe('issuing');
    expect((await issuedAfter(delayMs, sandbox('TicketFail'))).state).toBe('refused');
  });

  it.each([
    [delayMs, 11_999, 12_000],
    [0, 1_999, 2_000],
  ])('TICKETSLOW takes five times the delay of %i ms and 2 s', async (delay, before, then) => {
    expect((await issuedAfter(before, sandbox('TICKETSLOW'), delay)).state).toBe('issuing');
    expect((await issuedAfter(then, sandbox('TICKETSLOW'), delay)).state).toBe('ticketed');
  });

  it('TICKETERROR cannot be reached for 2 s after issuing was asked for, then is issued as usual', async () => {
    const order = sandbox('TICKETERROR', { bookedAt: new Date(start.getTime() - 3_600_000) });
    await expect(issuedAfter(1_999, order, 0)).rejects.toThrow('cannot be reached');
    expect((await issuedAfter(2_000, order, 0)).state).toBe('ticketed');
    expect((await issuedAfter(2_000, order, 2_001)).state).toBe('issuing');
    expect((await desk.hold(order, options)).state).toBe('held');
  });

  it('count in the order of the table', async () => {
    const travellers = ['TICKETSLOW', 'TICKETERROR', 'TICKETFAIL'].map((familyName, index) =>
      traveller(`pas_${index}`, { familyName }),
    );
    const order = (count: number) => request({ testMode: true, travellers: travellers.slice(0, count) });
    expect((await issuedAfter(delayMs, order(3))).state).toBe('refused');
    expect((await issuedAfter(delayMs, order(2))).state).toBe('ticketed');
  });

  it.each(['HOLDFAIL', 'TICKETFAIL', 'TICKETSLOW', 'TICKETERROR'])(
    '%s is ordinary with a live key',
    async (name) => {
      const order = { ...sandbox(name), testMode: false };
      expect((await desk.hold(order, options)).state).toBe('held');
      expect((await issuedAfter(0, order)).state).toBe('issuing');
      expect((await issuedAfter(delayMs, order)).state).toBe('ticketed');
    },
  );

  it('mean the family name, not the given name', async () => {
    const travellers = [traveller('pas_1', { givenName: 'TICKETFAIL' })];
    expect((await issuedAfter(delayMs, request({ testMode: true, travellers }))).state).toBe('ticketed');
  });
});
