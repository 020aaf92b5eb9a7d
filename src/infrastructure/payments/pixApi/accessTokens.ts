import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { Exchange } from './exchange.ts';
import { parseJson } from './parseJson.ts';
import { PixApiRefusal } from './pixApiRefusal.ts';
import type { PixApi } from './pixApiSettings.ts';

/** How much sooner than its bank says a token is taken for used up: the request that it goes with takes time as well. */
const tokenMargin = 0.1;

/** How long a token is used of which the bank does not say it, in seconds. */
const shortestToken = 60;

const tokenSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
});

/** The tokens with which the bank is asked: OAuth 2 with client credentials (RFC 6749, 4.4). One is used until its time is over. */
export class AccessTokens {
  readonly #api: PixApi;
  readonly #exchange: Exchange;
  readonly #clock: Clock;
  #kept: { readonly token: string; readonly usedUpMs: number } | null = null;
  #onItsWay: Promise<string> | null = null;

  constructor(api: PixApi, exchange: Exchange, clock: Clock) {
    this.#api = api;
    this.#exchange = exchange;
    this.#clock = clock;
  }

  /**
   * One that is asked for serves all who wait for it, and is not cut off with the first of them.
   * @throws PixApiRefusal when the bank gives none; Error when there is no answer.
   */
  current(): Promise<string> {
    const kept = this.#kept;
    if (kept && this.#clock.now().getTime() < kept.usedUpMs) return Promise.resolve(kept.token);
    this.#onItsWay ??= this.#ask().finally(() => {
      this.#onItsWay = null;
    });
    return this.#onItsWay;
  }

  /** Uses one no more that the bank does not take. */
  drop(token: string): void {
    if (this.#kept?.token === token) this.#kept = null;
  }

  async #ask(): Promise<string> {
    const { tokenUrl: url, clientId, clientSecret, clientAuthentication, scope, timeoutMs } = this.#api;
    const askedMs = this.#clock.now().getTime();
    // Not form-encoded first, as RFC 6749 has it: no bank's documentation does so.
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    const isBasic = clientAuthentication === 'client_secret_basic';
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      scope,
      ...(isBasic ? {} : { client_id: clientId, client_secret: clientSecret }),
    });
    const headers = {
      ...this.#api.headers,
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(isBasic ? { authorization: basic } : {}),
    };
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await this.#exchange({ method: 'POST', url, headers, body: form.toString(), signal });
    const given = tokenSchema.safeParse(parseJson(answer.text));
    if (!given.success) throw new PixApiRefusal('the request for a token', answer);
    const { access_token: token, expires_in: seconds = shortestToken } = given.data;
    this.#kept = { token, usedUpMs: askedMs + seconds * 1_000 * (1 - tokenMargin) };
    return token;
  }
}
