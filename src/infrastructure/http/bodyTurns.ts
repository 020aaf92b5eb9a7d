import type { Request } from 'express';
import { validationError } from '../../errors.ts';
import { Turns } from '../turns.ts';
import { networkOf } from './clientNetwork.ts';

/**
 * Long bodies that come in at once: each is kept until the last of it has come, for which its client has half a minute, and
 * connections there may be tens of thousands. What waits for its turn is not read, and stays with its client.
 */

/** Of one key. */
const ofKey = new Turns(32);

/** Of who shows with the whole body who it is: of one network, which must not take all of them, and of all. */
const ofNetwork = new Turns(8);
const ofAll = new Turns(64);

async function inTurn<Body>(
  turns: Turns,
  subject: string,
  request: Request,
  read: () => Promise<Body>,
): Promise<Body> {
  const end = await turns.take(subject, null);
  try {
    // Of a connection that is gone nothing more comes, not even that it is.
    if (request.destroyed) throw validationError({ field: 'body', type: 'unreadable' });
    return await read();
  } finally {
    end();
  }
}

/** Reads a long body of a key when it is its turn. @throws AppError 400 when its client has left by then. */
export const inTurnOfKey = <Body>(keyId: string, request: Request, read: () => Promise<Body>) =>
  inTurn(ofKey, keyId, request, read);

/** The same for who shows no key. */
export const inTurnOfStranger = <Body>(request: Request, read: () => Promise<Body>) =>
  inTurn(ofNetwork, networkOf(request.ip ?? ''), request, () => inTurn(ofAll, 'callbacks', request, read));
