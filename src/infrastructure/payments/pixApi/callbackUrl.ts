import { z } from 'zod';
import { callbackPrefix } from '../../http/callbackPrefix.ts';
import type { PixApiClient } from './pixApiClient.ts';
import { PixApiRefusal } from './pixApiRefusal.ts';
import type { PixApi } from './pixApiSettings.ts';
import { pixApiName } from './pixApiSettings.ts';
import { readAnswer } from './readAnswer.ts';

const webhookSchema = z.object({ webhookUrl: z.string() });

/** What the bank calls for its payments, before it adds `/pix`; the secret is its last part. */
export const callbackUrl = (publicUrl: string, secret: string): string =>
  `${publicUrl.replace(/\/+$/, '')}${callbackPrefix}/${pixApiName}/${secret}`;

/** What the bank calls now for payments of the Pix key (`GET /webhook/{chave}`); null for nothing. @throws as `ask` */
export async function registeredUrl(
  { pixKey }: PixApi,
  client: PixApiClient,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const answer = await client.ask({ method: 'GET', path: ['webhook', pixKey], signal });
    return readAnswer(webhookSchema, answer, 'address of callbacks').webhookUrl;
  } catch (error) {
    if (error instanceof PixApiRefusal && error.status === 404) return null;
    throw error;
  }
}

/** Has the bank call another address (`PUT /webhook/{chave}`), which may try it at once. @throws as `ask` */
export async function registerUrl(
  webhookUrl: string,
  { pixKey }: PixApi,
  client: PixApiClient,
  signal: AbortSignal,
): Promise<void> {
  await client.ask({ method: 'PUT', path: ['webhook', pixKey], body: { webhookUrl }, signal });
}
