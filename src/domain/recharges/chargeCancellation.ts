import { askWithin, untilAborted } from '../../infrastructure/cutOff.ts';
import type { Statement } from '../../infrastructure/database/statement.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { keptOfObject } from '../../infrastructure/keptEntry.ts';
import type { Log } from '../../infrastructure/observability/log.ts';
import { RepeatedFaults } from '../../infrastructure/observability/repeatedFaults.ts';
import type { MadeCharge } from '../../infrastructure/payments/provider.ts';
import type { Platform } from '../platform.ts';

/** Charges that one look takes. */
const takenAtOnce = 20;

/** The shortest time between asking for the same charge again, in milliseconds; longer than asking may take. */
const pauseMs = 60_000;

/**
 * When a charge is asked for again: a tenth of the time since `beginning` later, or else those that a provider never settles
 * would fill its limits in the course of years.
 */
const nextSql = (beginning: string) =>
  `$1::timestamptz + greatest(interval '${pauseMs} milliseconds', ($1 - ${beginning}) / 10)`;

/** Charges that are to be made unpayable. */
interface UnwantedCharges {
  /** For the log. */
  readonly what: string;
  /**
   * Takes those of the provider $2 that are due at $1: whoever takes a charge puts off the next asking for it, so that a
   * process that dies leaves it to another.
   */
  readonly take: Statement<MadeCharge>;
  readonly done: Statement<unknown>;
}

const ofCancelledRecharges: UnwantedCharges = {
  what: 'of a cancelled recharge',
  take: statement<MadeCharge>(
    'take_charges_to_cancel',
    `UPDATE recharges SET charge_to_cancel_at = ${nextSql('ended_at')}
      WHERE id IN (SELECT id FROM recharges WHERE charge_to_cancel_at <= $1 AND provider = $2
                    ORDER BY charge_to_cancel_at LIMIT ${takenAtOnce} FOR UPDATE SKIP LOCKED)
     RETURNING id AS "rechargeId", mode, charge AS artefacts`,
  ),
  done: statement('charge_is_cancelled', 'UPDATE recharges SET charge_to_cancel_at = NULL WHERE id = $1'),
};

const ofNoRecharge: UnwantedCharges = {
  what: 'of no recharge',
  take: statement<MadeCharge>(
    'take_unwritten_charges',
    `UPDATE unwritten_charges SET times_cancelled = times_cancelled + 1, cancel_at = ${nextSql('asked_at')}
      WHERE recharge_id IN (SELECT recharge_id FROM unwritten_charges WHERE cancel_at <= $1 AND provider = $2
                             ORDER BY cancel_at LIMIT ${takenAtOnce} FOR UPDATE SKIP LOCKED)
     RETURNING recharge_id AS "rechargeId", mode, NULL AS artefacts`,
  ),
  done: statement('unwritten_charge_is_cancelled', 'DELETE FROM unwritten_charges WHERE recharge_id = $1'),
};

/** While the provider is away, all charges fail alike: so often a minute the log tells it. */
const mostToldFaults = 10;

const faults = new WeakMap<Log, RepeatedFaults>();

const faultsOf = (log: Log): RepeatedFaults =>
  keptOfObject(faults, log, () => new RepeatedFaults(log, mostToldFaults, 'warn'));

/**
 * Asks for one charge. One that the provider does not answer for is left as it is, to be asked for again; so is one that is
 * answered for when the process has stopped and cannot write any more.
 */
async function cancelCharge(
  charge: MadeCharge,
  { what, done }: UnwantedCharges,
  platform: Platform,
  stopping: AbortSignal,
): Promise<void> {
  const { sequelize, clock, settings, paymentProvider: provider, log } = platform;
  const timeoutMs = Math.min(settings.PAYMENT_PROVIDER_TIMEOUT, pauseMs);
  const { rechargeId } = charge;
  try {
    const limits = { asked: provider.name, timeoutMs, clock };
    await askWithin(limits, async (options) => provider.cancelCharge?.(charge, options));
    await run(sequelize, done, [rechargeId]);
  } catch (error) {
    if (!stopping.aborted)
      faultsOf(log).tell(`charge ${what} not cancelled; asked again`, error, { rechargeId });
  }
}

/**
 * Has the payment provider make charges unpayable whose recharges were cancelled or never written. One that it does not
 * answer for is asked for again, each minute at first and less and less often; a payment that comes meanwhile waits for an
 * operator.
 */
export async function cancelUnwantedCharges(platform: Platform, stopping: AbortSignal): Promise<void> {
  if (!platform.paymentProvider.cancelCharge) return;
  for (const charges of [ofCancelledRecharges, ofNoRecharge]) await cancelAll(charges, platform, stopping);
}

async function cancelAll(charges: UnwantedCharges, platform: Platform, stopping: AbortSignal): Promise<void> {
  const { sequelize, clock, paymentProvider: provider } = platform;
  while (!stopping.aborted) {
    const taken = await run(sequelize, charges.take, [clock.now(), provider.name]);
    await untilAborted(
      Promise.all(taken.map((charge) => cancelCharge(charge, charges, platform, stopping))),
      stopping,
    );
    if (taken.length < takenAtOnce) return;
  }
}
