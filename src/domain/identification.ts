import { RateLimitExceeded, unauthorized } from '../errors.ts';
import { bearerTokenOf } from '../infrastructure/http/bearer.ts';
import { networkOf } from '../infrastructure/http/clientNetwork.ts';
import type { RateWindow } from '../infrastructure/rateLimits/rateLimiter.ts';
import type { Gateway } from './gateway.ts';
import type { Caller } from './teams/access.ts';

/** Who calls, and how often those may who cannot say. */

type Doorkeepers = Pick<Gateway, 'platform' | 'access' | 'limiter'>;

/**
 * Who calls, from the Authorization header's value: at once when the key is known. Calls without a valid key are
 * counted by address, which is asked for only then.
 * @throws AppError 401, or 429 for an address that keeps failing.
 */
export function identify(
  authorization: string | undefined,
  addressOf: () => string,
  gateway: Doorkeepers,
): Caller | Promise<Caller> {
  const key = bearerTokenOf(authorization);
  const caller = key === undefined ? null : gateway.access.authenticate(key);
  if (caller instanceof Promise) return caller.then((found) => found ?? refuseStranger(addressOf(), gateway));
  return caller ?? refuseStranger(addressOf(), gateway);
}

/** Turns away who could not say who they are. @throws AppError 401, or 429 for an address that keeps failing. */
export async function refuseStranger(address: string, gateway: Doorkeepers): Promise<never> {
  await countStranger(networkOf(address), gateway);
  throw unauthorized();
}

/**
 * Counts a request for a file that is open to whoever has its link: to draw one takes up to 30 ms. Those who share an
 * address with somebody whose key fails still see theirs.
 * @throws AppError 429 for an address that asks for more than a window has.
 */
export const countLink = (address: string, gateway: Doorkeepers): Promise<void> =>
  countStranger(`links of ${networkOf(address)}`, gateway);

async function countStranger(subject: string, { platform, limiter }: Doorkeepers): Promise<void> {
  const window = await limiter.consume('unauthenticated', subject);
  if (window.allowed) return;
  platform.metrics.rateLimited.inc({ bucket: 'unauthenticated' });
  throw new RetryLater(window);
}

/** 429 for a caller who has no context yet that could carry the window. */
export class RetryLater extends RateLimitExceeded {
  readonly window: RateWindow;

  constructor(window: RateWindow) {
    super();
    this.window = window;
  }
}
