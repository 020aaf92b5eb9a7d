import type { IncomingMessage } from 'node:http';
import type { AppError } from '../../errors.ts';
import { validationError } from '../../errors.ts';

/**
 * Headers that say one thing, by the length of their names. Of two Node.js takes the first, or for keys of idempotency both as
 * one, where a proxy in between may go by the last: what that was told is then not what is done here, and a creation that is
 * sent again on another way is made twice.
 */
const single = new Map(
  ['Host', 'Content-Type', 'Authorization', 'Idempotency-Key'].map((name, index) => [
    name.length,
    { name: name.toLowerCase(), bit: 1 << index, fault: validationError({ field: name, type: 'repeated' }) },
  ]),
);

/** What is wrong with a head that has one of these twice; of several, that nobody can say whose the request is. */
export function repetitionIn({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>) {
  let met = 0;
  let fault: AppError | null = null;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index] as string;
    const known = single.get(given.length);
    if (known === undefined || known.name !== given.toLowerCase()) continue;
    if (met & known.bit && (fault === null || known.name === 'authorization')) fault = known.fault;
    met |= known.bit;
  }
  return fault;
}
