import { unprocessable } from '../../errors.ts';
import { Busy } from '../busy.ts';

/** What is refused of Idempotency-Keys, each made in one place: the documentation shows the very same. */

export const keyInProgress = () =>
  new Busy('A request with this Idempotency-Key is still in progress', 'Idempotency-Key');

export const keyReused = () =>
  unprocessable('Idempotency-Key was used for a different request', {
    field: 'Idempotency-Key',
    type: 'reused',
  });
