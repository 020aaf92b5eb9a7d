import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { Incoming } from './exchange.ts';
import { exchange } from './exchange.ts';
import type { PixApi } from './pixApiSettings.ts';

/** Of an error, which may have any size, so many characters of each text are told. */
const longestText = 300;

/** How much sooner than its bank says a token is taken for used up: the request that it goes with takes time as well. */
const tokenMargin = 0.1;

/** How long a token is used of which the bank does not say it, in seconds. */
const shortestToken = 60;

const tokenSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
});

/**
 * RFC 7807, as "Tratamento de erros" of the Pix API has it, and RFC 6749, 5.2, of tokens. The values that were sent are not
 * told: they may name people.
 */
const problemSchema = z.object({
  error: z.string().catch(''),
  error_description: z.string().catch(''),
  title: z.string().catch(''),
  detail: z.string().catch(''),
  violacoes: z.array(z.object({ propriedade: z.string().catch(''), razao: z.string().catch('') })).catch([]),
});

/** The bank answered with something else than what was asked for. */
export class PixApiRefusal extends Error {
  readonly status: number;

  constructor(asked: string, { status, text }: Incoming) {
    super(`${asked} answered ${status}${reasonOf(text)}`);
    this.status = status;
  }
}

function reasonOf(text: string): string {
  const problem = problemSchema.safeParse(parse(text));
  if (!problem.success) return '';
  const { error, error_description: description, title, detail, violacoes } = problem.data;
  const violations = violacoes.slice(0, 5).map(({ propriedade, razao }) => `${propriedade}: ${razao}`);
  const told = [error, description, title, detail, ...violations].map((part) => part.slice(0, longestText));
  const reason = told.filter((part) => part !== '').join('; ');
  return reason && `: ${reason}`;
}

/** Undefined for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface PixApiRequest {
  readonly method: 'GET' | 'PUT' | 'PATCH';
  /** Parts of the path below the API's own URL, each encoded here. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly signal: AbortSignal;
}

/**
 * A client of the Pix API of Banco Central do Brasil (2.9), which every bank that takes Pix offers: OAuth 2 with client
 * credentials (RFC 6749, 4.4), over mutual TLS where a certificate is set.
 */
export class PixApiClient {
  readonly #api: PixApi;
  readonly #clock: Clock;
  readonly #agents: { readonly 'http:': HttpAgent; readonly 'https:': HttpsAgent };
  #token: { readonly value: string; readonly usedUpMs: number } | null = null;
  #tokenOnItsWay: Promise<string> | null = null;

  constructor(api: PixApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
    this.#agents = {
      'http:': new HttpAgent({ keepAlive: true }),
      'https:': new HttpsAgent({ keepAlive: true, ...api.certificate }),
    };
  }

  /**
   * @returns what the bank answered, parsed.
   * @throws PixApiRefusal for a status other than 2xx, or an answer that is no JSON; Error when there is no answer.
   */
  async ask(request: PixApiRequest): Promise<unknown> {
    const token = await this.#accessToken();
    let answer = await this.#send(request, token);
    // A bank may take a token back before its time.
    if (answer.status === 401) {
      if (this.#token?.value === token) this.#token = null;
      answer = await this.#send(request, await this.#accessToken());
    }
    const asked = `${request.method} /${request.path.join('/')}`;
    if (answer.status > 299) throw new PixApiRefusal(asked, answer);
    const body = answer.text === '' ? null : parse(answer.text);
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
    return this.#exchange(method, url, headers, body && JSON.stringify(body), signal);
  }

  #exchange(
    method: string,
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    signal: AbortSignal,
  ): Promise<Incoming> {
    const agent = url.protocol === 'https:' ? this.#agents['https:'] : this.#agents['http:'];
    return exchange({ method, url, headers, body, agent, signal });
  }

  /** One that is asked for serves all who wait for it, and is not cut off with the first of them. */
  #accessToken(): Promise<string> {
    const token = this.#token;
    if (token && this.#clock.now().getTime() < token.usedUpMs) return Promise.resolve(token.value);
    this.#tokenOnItsWay ??= this.#askForToken().finally(() => {
      this.#tokenOnItsWay = null;
    });
    return this.#tokenOnItsWay;
  }

  async #askForToken(): Promise<string> {
    const { tokenUrl, clientId, clientSecret, clientAuthentication, scope, timeoutMs } = this.#api;
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
    const answer = await this.#exchange('POST', tokenUrl, headers, form.toString(), signal);
    const token = tokenSchema.safeParse(parse(answer.text));
    if (!token.success) throw new PixApiRefusal('the request for a token', answer);
    const { access_token: value, expires_in: seconds = shortestToken } = token.data;
    this.#token = { value, usedUpMs: askedMs + seconds * 1_000 * (1 - tokenMargin) };
    return value;
  }
}
