import { printLine, runCommand } from './command.ts';
import type { Settings } from './config.ts';
import { readSettings } from './config.ts';
import { systemClock } from './infrastructure/clock.ts';
import { callbackUrl, registeredUrl, registerUrl } from './infrastructure/payments/pixApi/callbackUrl.ts';
import { PixApiClient } from './infrastructure/payments/pixApi/pixApiClient.ts';
import { pixApiName, readPixApi } from './infrastructure/payments/pixApi/pixApiSettings.ts';

/**
 * `npm run pix:callback`: has the bank call this deployment for payments of its Pix key, of which a bank calls one address. One
 * that is called already and is another is left as it is, and shown, unless `--replace` is given.
 *
 * Exit code 0: the bank calls it; 1: it calls another; 2: it could not be asked, or refused.
 */

/** What the command needs beside what the server does. */
const scope = 'webhook.read webhook.write';

function wantedUrl({ PAYMENT_PROVIDER, PUBLIC_URL, PIX_API_CALLBACK_SECRET }: Settings): string {
  if (PAYMENT_PROVIDER !== pixApiName) throw new Error(`PAYMENT_PROVIDER is ${PAYMENT_PROVIDER}`);
  if (!PUBLIC_URL?.startsWith('https://'))
    throw new Error('PUBLIC_URL must start with https://: banks call no other');
  if (!PIX_API_CALLBACK_SECRET) throw new Error('set PIX_API_CALLBACK_SECRET: callbacks show it');
  return callbackUrl(new URL(PUBLIC_URL).href, PIX_API_CALLBACK_SECRET);
}

async function register(options: readonly string[]): Promise<boolean> {
  const [option, ...more] = options;
  if ((option !== undefined && option !== '--replace') || more.length > 0)
    throw new Error('the only option is --replace');
  const settings = readSettings(process.env);
  const wanted = wantedUrl(settings);
  const api = { ...readPixApi(settings), scope };
  const client = new PixApiClient(api, systemClock);
  const signal = () => AbortSignal.timeout(api.timeoutMs);
  const registered = await registeredUrl(api, client, signal());
  if (registered?.replace(/\/+$/, '') === wanted) {
    await printLine('The bank calls this deployment already');
    return true;
  }
  if (registered !== null && option === undefined) {
    await printLine(
      `The bank calls ${registered} for this Pix key; run it with --replace to have it call this deployment`,
    );
    return false;
  }
  await registerUrl(wanted, api, client, signal());
  await printLine('The bank calls this deployment from now on');
  return true;
}

runCommand(register, (error) => `Not registered: ${(error as Error).message}`);
