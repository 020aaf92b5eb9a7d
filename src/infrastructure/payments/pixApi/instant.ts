import { DateTime } from 'luxon';
import { bankZone } from '../../text/brazilianText.ts';

/**
 * An instant of the Pix API, in RFC 3339; a bank that leaves out the offset means its own clock. An invalid date for what is
 * none.
 */
export const instantOf = (text: unknown): Date =>
  DateTime.fromISO(typeof text === 'string' ? text : '', { zone: bankZone }).toJSDate();
