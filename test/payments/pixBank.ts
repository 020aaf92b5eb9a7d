import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Json } from '../harness/client.ts';

/** What the central bank's "API Pix" 2.9 (OpenAPI) has of the fields that are sent. */
const forms = {
  txid: /^[a-zA-Z0-9]{26,35}$/,
  amount: /^\d{1,10}\.\d{2}$/,
  instant: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
};

const problem = (status: number, name: string, violacoes: Json[] = []) => ({
  status,
  body: {
    type: `https://pix.bcb.gov.br/api/v2/error/${name}`,
    title: 'Cobrança inválida.',
    status,
    detail: 'A requisição não respeita o schema ou está semanticamente errada.',
    violacoes,
  },
});

interface Answer {
  status: number;
  body?: Json;
}

export interface PixRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Json;
  /** Of the client's certificate, over mutual TLS. */
  readonly commonName: string | null;
}

/** PEM of the bank's own certificate, and of the authority whose clients it lets in. */
export interface BankTls {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** As much of the service as a test lets it have, in place of its answer. */
type Fault = (request: PixRequest, response: ServerResponse, answer: Answer) => boolean;

const dayMs = 24 * 60 * 60_000;

/**
 * A bank with the Pix API as the central bank describes it, on loopback: tokens that end, charges with their states, payments
 * with their returns, lists in pages, and the callback that is registered for the key.
 */
export class PixBank {
  readonly pixKey = '7d9f0335-8dcc-4054-9bf9-0dbd61d36906';
  readonly clientId = 'Client_Id_of_the_agency';
  readonly clientSecret = 'Client_Secret+/=of the agency';
  /** Everything that it was asked with a token that it takes. */
  readonly requests: PixRequest[] = [];
  /** How tokens were asked for. */
  readonly tokenRequests: PixRequest[] = [];
  readonly charges = new Map<string, Json>();
  readonly payments: Json[] = [];
  /** By Pix key. */
  readonly callbackUrls = new Map<string, string>();
  /** What its clocks show. */
  now: () => number = Date.now;
  fault: Fault | null = null;
  /** Payments on a page, whatever was asked for. */
  itemsOnPage = 100;
  /** A charge as it is answered. */
  shows: (charge: Json) => Json = (charge) => charge;
  readonly #tokens = new Set<string>();
  readonly #server: Server;

  constructor(tls: BankTls | null = null) {
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      void this.#answer(request, response);
    this.#server = tls
      ? createSecureServer({ ...tls, requestCert: true, rejectUnauthorized: true }, answer)
      : createServer(answer);
  }

  /** Lets all be as it was at first; tokens stay good. */
  reset(): void {
    for (const list of [this.requests, this.tokenRequests, this.payments]) list.length = 0;
    for (const map of [this.charges, this.callbackUrls]) map.clear();
    this.fault = null;
    this.itemsOnPage = 100;
    this.shows = (charge) => charge;
  }

  /** Takes all tokens back, as a bank does that starts anew. */
  revokeTokens(): void {
    this.#tokens.clear();
  }

  /** @returns the settings of a product that is its customer. */
  async open(): Promise<Record<string, string>> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const scheme = 'setSecureContext' in this.#server ? 'https' : 'http';
    const base = `${scheme}://localhost:${(this.#server.address() as AddressInfo).port}`;
    return {
      PAYMENT_PROVIDER: 'pix_api',
      PIX_API_URL: `${base}/api/v2/?app-key=ours`,
      PIX_API_TOKEN_URL: `${base}/oauth/token`,
      PIX_API_CLIENT_ID: this.clientId,
      PIX_API_CLIENT_SECRET: this.clientSecret,
      PIX_KEY: this.pixKey,
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** A payment of a charge as it came in. @returns its name. */
  pay(txid: string, more: Json = {}): string {
    const charge = this.charges.get(txid);
    const endToEndId = `E${randomBytes(16).toString('hex').slice(1)}`;
    const valor = charge?.valor.original ?? '100.00';
    this.payments.push({ endToEndId, txid, valor, horario: new Date(this.now()).toISOString(), ...more });
    if (charge) charge.status = 'CONCLUIDA';
    return endToEndId;
  }

  /** A return of a payment. @returns its name. */
  giveBack(endToEndId: string, more: Json = {}): string {
    const rtrId = `D${randomBytes(16).toString('hex').slice(1)}`;
    const payment = this.payments.find((one) => one.endToEndId === endToEndId);
    const instant = new Date(this.now()).toISOString();
    payment.devolucoes ??= [];
    payment.devolucoes.push({
      id: randomUUID().replaceAll('-', ''),
      rtrId,
      valor: payment.valor,
      natureza: 'MED_FRAUDE',
      status: 'DEVOLVIDO',
      horario: { solicitacao: instant, liquidacao: instant },
      ...more,
    });
    return rtrId;
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const told = await text(message);
    const { method = '', url = '', headers } = message;
    const isToken = url.startsWith('/oauth/token');
    const socket = message.socket as { getPeerCertificate?: () => { subject?: { CN?: string } } };
    const request: PixRequest = {
      method,
      path: url,
      headers,
      body: isToken ? Object.fromEntries(new URLSearchParams(told)) : told === '' ? null : JSON.parse(told),
      commonName: socket.getPeerCertificate?.().subject?.CN ?? null,
    };
    if (isToken) this.tokenRequests.push(request);
    const answer = isToken ? this.#token(request) : this.#resource(request);
    if (this.fault?.(request, response, answer)) return;
    response.statusCode = answer.status;
    response.setHeader('content-type', answer.status < 400 ? 'application/json' : 'application/problem+json');
    response.end(answer.body === undefined ? '' : JSON.stringify(answer.body));
  }

  #token({ method, headers, body }: PixRequest): Answer {
    const basic = `Basic ${Buffer.from(`${this.clientId}:${this.clientSecret}`).toString('base64')}`;
    const isOurs =
      headers.authorization === basic ||
      (body.client_id === this.clientId && body.client_secret === this.clientSecret);
    if (method !== 'POST' || !isOurs || body.grant_type !== 'client_credentials')
      return { status: 401, body: { error: 'invalid_client' } };
    const token = randomUUID();
    this.#tokens.add(token);
    return { status: 200, body: { access_token: token, token_type: 'Bearer', expires_in: 3_600 } };
  }

  #resource(request: PixRequest): Answer {
    const { method, path, headers, body } = request;
    const { pathname, searchParams } = new URL(path, 'http://bank');
    if (!this.#tokens.has(headers.authorization?.replace(/^Bearer /, '') ?? ''))
      return problem(401, 'AcessoNegado');
    this.requests.push(request);
    if (searchParams.get('app-key') !== 'ours') return problem(403, 'AcessoNegado');
    const [, api, version, resource, name = ''] = pathname.split('/').map(decodeURIComponent);
    if (api !== 'api' || version !== 'v2') return problem(404, 'NaoEncontrado');
    if (resource === 'cob') return this.#charge(method, name, body);
    if (resource === 'webhook') return this.#callback(method, name, body);
    if (resource !== 'pix' || method !== 'GET') return problem(404, 'NaoEncontrado');
    if (name === '') return this.#list(searchParams);
    const payment = this.payments.find(({ endToEndId }) => endToEndId === name);
    return payment ? { status: 200, body: payment } : problem(404, 'PixNaoEncontrado');
  }

  #charge(method: string, txid: string, body: Json): Answer {
    const charge = this.charges.get(txid);
    if (method === 'GET')
      return charge ? { status: 200, body: this.shows(charge) } : problem(404, 'CobNaoEncontrado');
    if (method === 'PATCH') {
      if (!charge) return problem(404, 'CobNaoEncontrado');
      if (charge.status !== 'ATIVA' || body.status !== 'REMOVIDA_PELO_USUARIO_RECEBEDOR')
        return problem(400, 'CobOperacaoInvalida');
      Object.assign(charge, { status: body.status, revisao: charge.revisao + 1 });
      return { status: 200, body: this.shows(charge) };
    }
    const isSound =
      method === 'PUT' &&
      forms.txid.test(txid) &&
      forms.amount.test(body.valor?.original) &&
      Number.isInteger(body.calendario?.expiracao) &&
      body.calendario.expiracao > 0 &&
      (body.solicitacaoPagador ?? '').length <= 140;
    if (!isSound || charge) return problem(400, 'CobOperacaoInvalida');
    if (body.chave !== this.pixKey)
      return problem(400, 'CobOperacaoInvalida', [
        { razao: 'A chave não pertence ao usuário.', propriedade: 'cob.chave', valor: body.chave },
      ]);
    const location = `pix.example.com/qr/v2/${randomUUID().replaceAll('-', '')}`;
    const made = {
      ...body,
      calendario: { ...body.calendario, criacao: new Date(this.now()).toISOString() },
      txid,
      revisao: 0,
      location,
      status: 'ATIVA',
      pixCopiaECola: `00020101021226BRCODE of ${txid}`,
    };
    this.charges.set(txid, made);
    return { status: 201, body: this.shows(made) };
  }

  #callback(method: string, pixKey: string, body: Json): Answer {
    if (pixKey !== this.pixKey) return problem(400, 'WebhookOperacaoInvalida');
    const webhookUrl = this.callbackUrls.get(pixKey);
    if (method === 'GET')
      return webhookUrl
        ? { status: 200, body: { webhookUrl, chave: pixKey, criacao: '2020-11-11T10:15:00.358Z' } }
        : problem(404, 'WebhookNaoEncontrado');
    this.callbackUrls.set(pixKey, body.webhookUrl);
    return { status: 200 };
  }

  #list(query: URLSearchParams): Answer {
    const [first = '', last = ''] = [query.get('inicio') ?? '', query.get('fim') ?? ''];
    const [fromMs, untilMs] = [Date.parse(first), Date.parse(last)];
    const isSound = [first, last].every((instant) => forms.instant.test(instant)) && fromMs <= untilMs;
    // Of a time that has not come, and of more than five days, as some banks have it.
    if (!isSound || untilMs > this.now() || untilMs - fromMs > 5 * dayMs)
      return problem(400, 'PixConsultaInvalida');
    const found = this.payments.filter(({ horario, devolucoes }) => {
      const ms = Date.parse(horario);
      const isAsked = query.get('devolucaoPresente') !== 'true' || devolucoes?.length > 0;
      return ms >= fromMs && ms <= untilMs && isAsked;
    });
    const page = Number(query.get('paginacao.paginaAtual') ?? 0);
    const items = Math.min(this.itemsOnPage, Number(query.get('paginacao.itensPorPagina') ?? 100));
    const paginacao = {
      paginaAtual: page,
      itensPorPagina: items,
      quantidadeDePaginas: Math.max(1, Math.ceil(found.length / items)),
      quantidadeTotalDeItens: found.length,
    };
    const pix = found.slice(page * items, (page + 1) * items);
    return { status: 200, body: { parametros: { inicio: first, fim: last, paginacao }, pix } };
  }
}
