import type { Refusal } from '../doors/door.ts';
import { dataOf } from '../doors/door.ts';
import type { WebhookStage } from './webhookDoors.ts';

export const pending = ['wallet.recharge.pending'];
export const unknownId = 'wh_01jd4yhz1je5j8v2r0h3m6x9qj';

export const notFound: Refusal = { status: 404, code: 'NOT_FOUND', message: 'Webhook not found' };
export const registered: Refusal = {
  status: 409,
  code: 'VALIDATION_ERROR',
  message: 'URL already registered',
};
export const notReachable: Refusal = { status: 422, code: 'VALIDATION_ERROR', message: 'URL not reachable' };
export const invalidUrl: Refusal = { status: 400, code: 'VALIDATION_ERROR', message: 'Invalid URL' };
export const invalidEvents: Refusal = { status: 400, code: 'VALIDATION_ERROR', message: 'Invalid events' };

/** What most tests of managing webhooks do through the door of a stage. */
export function managementOf(stage: WebhookStage) {
  const team = () => stage.world.server.createTeam();
  let paths = 0;
  /** A URL of the receiver that no other test has. */
  const freshUrl = () => {
    paths += 1;
    return stage.world.receiver.url(`/${stage.door.name}-${paths}`);
  };
  const register = async (key: string, url = freshUrl(), events: string[] = pending) =>
    dataOf(await stage.door.create(key, { url, events }));
  const listed = async (key: string) => dataOf(await stage.door.list(key));
  const recharge = (key: string) =>
    stage.world.server.rest('POST', '/api/v1/wallet/recharge', {
      key,
      body: { amount: '100.00', currency: 'BRL', payment_method: 'pix' },
    });
  return { team, freshUrl, register, listed, recharge };
}

export type Management = ReturnType<typeof managementOf>;
