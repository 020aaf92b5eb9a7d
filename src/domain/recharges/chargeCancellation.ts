import { askWithin, untilStopping } from '../../infrastructure/cutOff.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import type { MadeCharge } from '../../infrastructure/payments/provider.ts';
import type { Platform } from '../platform.ts';

/** Charges that one look takes. */
const takenAtOnce = 20;

/** The shortest time between asking for the same charge again, in milliseconds; longer than asking may take. */
const pauseMs = 60_000;

/**
 * Whoever takes a charge puts off the next asking for it, so that a process that dies leaves it to another: by a tenth of the
 * time since the cancellation, or else those that a provider never settles would fill its limits in the course of years.
 */
const takeStatement = statement<MadeCharge>(
  'take_charges_to_cancel',
  `UPDATE recharges
      SET charge_to_cancel_at = $1::timestamptz + greatest(interval '${pauseMs} milliseconds', ($1 - ended_at) / 10)
    WHERE id IN (SELECT id FROM recharges WHERE charge_to_cancel_at <= $1 AND provider = $2
                  ORDER BY charge_to_cancel_at LIMIT ${takenAtOnce} FOR UPDATE SKIP LOCKED)
   RETURNING id AS "rechargeId", mode, charge AS artefacts`,
);

const doneStatement = statement(
  'charge_is_cancelled',
  'UPDATE recharges SET charge_to_cancel_at = NULL WHERE id = $1',
);

/** Asks for one charge. One that the provider does not answer for is left as it is, to be asked for again. */
async function cancelCharge(charge: MadeCharge, platform: Platform): Promise<void> {
  const { sequelize, clock, settings, paymentProvider: provider, log } = platform;
  const timeoutMs = Math.min(settings.PAYMENT_PROVIDER_TIMEOUT, pauseMs);
  const { rechargeId } = charge;
  try {
    const limits = { asked: provider.name, timeoutMs, clock };
    await askWithin(limits, async (options) => provider.cancelCharge?.(charge, options));
    await run(sequelize, doneStatement, [rechargeId]);
  } catch (error) {
    log.warn({ err: error, rechargeId }, 'charge of a cancelled recharge not cancelled; asked again');
  }
}

/**
 * Has the payment provider make the charges of cancelled recharges unpayable. One that it does not answer for is asked for
 * again, each minute at first and less and less often; a payment that comes meanwhile waits for an operator.
 */
export async function cancelEndedCharges(platform: Platform, stopping: AbortSignal): Promise<void> {
  const { sequelize, clock, paymentProvider: provider } = platform;
  if (!provider.cancelCharge) return;
  while (!stopping.aborted) {
    const now = clock.now();
    const taken = await run(sequelize, takeStatement, [now, provider.name]);
    await untilStopping(Promise.all(taken.map((charge) => cancelCharge(charge, platform))), stopping);
    if (taken.length < takenAtOnce) return;
  }
}
