import type { Clock } from '../../clock.ts';
import { AccessTokens } from './accessTokens.ts';
import type { Exchange, Incoming } from './exchange.ts';
import { createExchange } from './exchange.ts';
import { parseJson } from './parseJson.ts';
import { PixApiRefusal } from './pixApiRefusal.ts';
import type { PixApi } from './pixApiSettings.ts';

export interface PixApiRequest {
  readonly method: 'GET' | 'PUT' | 'PATCH';
  /** Parts of the path below the API's own URL, each encoded here. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly signal: AbortSignal;
}

/** A client of the Pix API of Banco Central do Brasil (2.9), over mutual TLS where a certificate is set. */
export class PixApiClient {
  readonly #api: PixApi;
  readonly #exchange: Exchange;
  readonly #tokens: AccessTokens;

  constructor(api: PixApi, clock: Clock) {
    this.#api = api;
    this.#exchange = createExchange(api.certificate);
    this.#tokens = new AccessTokens(api, this.#exchange, clock);
  }

  /**
   * @returns what the bank answered, parsed; null for nothing.
   * @throws PixApiRefusal for a status other than 2xx, or an answer that is no JSON; Error when there is no answer.
   */
  async ask(request: PixApiRequest): Promise<unknown> {
    const token = await this.#tokens.current();
    let answer = await this.#send(request, token);
    // A bank may take a token back before its time.
    if (answer.status === 401) {
      this.#tokens.drop(token);
      answer = await this.#send(request, await this.#tokens.current());
    }
    const asked = `${request.method} /${request.path.join('/')}`;
    if (answer.status > 299) throw new PixApiRefusal(asked, answer);
    const body = answer.text === '' ? null : parseJson(answer.text);
    if (body === undefined) throw new PixApiRefusal(`${asked}, which is no JSON,`, { ...answer, text: '' });
    return body;
  }

  #send({ method, path, query = {}, body, signal }: PixApiRequest, token: string): Promise<Incoming> {
    const url = new URL(this.#api.url);
    const below = path.map(encodeURIComponent).join('/');
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/${below}`;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const headers = {
      ...this.#api.headers,
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    };
    return this.#exchange({ method, url, headers, body: body && JSON.stringify(body), signal });
  }
}
