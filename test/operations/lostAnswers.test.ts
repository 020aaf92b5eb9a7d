import { expect, it } from 'vitest';
import { booked, held, offered, requestFor } from '../bookings/bookingSteps.ts';
import { describeLostAnswers } from '../bookings/lossyStage.ts';
import type { CallOptions, Outcome } from '../doors/door.ts';
import { dataOf, pixOf } from '../doors/door.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import { Bank } from '../payments/bank.ts';
import { paid, tell } from '../payments/bankSteps.ts';

/** What became of asking once. */
interface Asked {
  readonly ok: boolean;
  readonly text: string;
  readonly replayed: boolean;
}

/** Asks for something of a team's, the same each time. */
type Ask = () => Promise<Asked>;

/** How it is made ready for the team with this key, and what is told of it. */
interface Operation {
  prepare(key: string, options: CallOptions): Promise<Ask>;
  readonly told: readonly string[];
}

const askedOf = ({ ok, text, replayed }: Outcome): Asked => ({ ok, text, replayed });

/** Several times what any of them asks the database for: one that never gets through would lose answers for ever. */
const mostRounds = 100;

describeLostAnswers(
  'an answer of the database that nobody hears',
  (stage) => {
    async function recharged(key: string): Promise<string> {
      const { id } = dataOf(await stage.door.createRecharge(key, pixOf('1000.00')));
      expect((await tell(stage, paid(id))).status).toBe(200);
      return id;
    }

    const operations: Record<string, Operation> = {
      'a booking that is paid at once': {
        async prepare(key, options) {
          const request = requestFor(await offered(stage, key));
          return async () => askedOf(await stage.door.createBooking(key, request, options));
        },
        told: ['booking.created', 'wallet.debit', 'booking.confirmed'],
      },
      'a hold': {
        async prepare(key, options) {
          const request = requestFor(await offered(stage, key, { holdUntil: inAnHour() }), 'hold');
          return async () => askedOf(await stage.otherDoor.createBooking(key, request, options));
        },
        told: ['booking.created'],
      },
      'a confirmation': {
        async prepare(key, options) {
          const { id } = await held(stage, key);
          return async () => askedOf(await stage.otherDoor.confirmBooking(key, id, undefined, options));
        },
        told: ['wallet.debit', 'booking.confirmed', 'booking.updated'],
      },
      'a cancellation': {
        async prepare(key, options) {
          const { id } = await booked(stage, key);
          return async () => askedOf(await stage.door.cancelBooking(key, id, options));
        },
        told: ['wallet.credit', 'booking.cancelled', 'booking.updated'],
      },
      'a recharge': {
        prepare: async (key, options) => async () =>
          askedOf(await stage.door.createRecharge(key, pixOf('100.00'), options)),
        told: ['wallet.recharge.pending'],
      },
      'a payment that the bank tells of': {
        async prepare(key) {
          const { id } = dataOf(await stage.door.createRecharge(key, pixOf('100.00')));
          const notification = paid(id);
          return async () => {
            const { status } = await tell(stage, notification);
            // A bank hears the same each time.
            return { ok: status === 200, text: '', replayed: true };
          };
        },
        told: ['wallet.credit', 'wallet.recharge.completed'],
      },
      'the debit of a payment that the bank took back': {
        async prepare(key, { idempotencyKey = '' }) {
          const returned = { ...paid(await recharged(key)), outcome: 'returned', amountCents: '5000' };
          expect((await tell(stage, returned)).status).toBe(200);
          const [payment] = await stage.server.query<{ id: string }>(
            'SELECT id FROM payment_notices WHERE provider_reference = $1',
            [returned.providerReference],
          );
          const document = `mutation { debitReturnedPayment(id: "${payment?.id}", amount: "25.00") { id debits { amount } } }`;
          return async () => {
            const { body, headers } = await stage.server.graphql(document, null, stage.server.keys.operator, {
              'Idempotency-Key': idempotencyKey,
            });
            const replayed = headers.get('idempotent-replayed') === 'true';
            return { ok: !body.errors, text: JSON.stringify(body), replayed };
          };
        },
        told: ['wallet.debit'],
      },
    };

    const inAnHour = () => new Date(stage.clock.now().getTime() + 3_600_000);

    const toldOf = async (teamId: string) =>
      (
        await stage.server.query<{ type: string }>(
          `SELECT e.type FROM events e JOIN wallets w ON w.id = e.wallet_id
          WHERE w.team_id = $1 AND w.mode = 'live' AND e.type NOT LIKE 'api_key.%' ORDER BY e.sequence`,
          [teamId],
        )
      ).map(({ type }) => type);

    it.each(Object.keys(operations))(
      'leaves %s done once, and told truly when it is asked for again',
      async (name) => {
        const { prepare, told } = operations[name] as Operation;
        let [place, doneUnheard, wasLost] = [0, 0, true];
        // Else no answer was lost to what had been written, and nothing was shown: what a server asks for beside it, such as
        // its keys, moves the places.
        for (let round = 1; wasLost || doneUnheard === 0; round += 1) {
          expect(round).toBeLessThan(mostRounds);
          place = wasLost ? place + 1 : 1;
          const { teamId, live } = await stage.server.createTeam({ markupPercent: '0', feeAmount: '0.00' });
          await recharged(live);
          const ask = await prepare(live, { idempotencyKey: teamId });
          const before = await toldOf(teamId);
          stage.link.loseAnswer(place);
          const first = await ask();
          wasLost = stage.link.keepAnswers();
          const unheard = first.ok ? 0 : (await toldOf(teamId)).length - before.length;
          if (unheard > 0) doneUnheard += 1;
          const again = await ask();
          expect(again).toMatchObject({ ok: true, ...(first.ok ? { text: first.text } : {}) });
          if (first.ok || unheard > 0) expect(again.replayed).toBe(true);
          expect(await toldOf(teamId)).toEqual([...before, ...told]);
        }
        expect(await ledgerBreaks(stage.server.running.gateway.platform.sequelize)).toEqual([]);
      },
    );
  },
  { paymentProvider: new Bank() },
);
