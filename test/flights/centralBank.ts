import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A bulletin as the bank writes it. */
export interface Bulletin {
  tipoBoletim: string;
  dataHoraCotacao: string;
  cotacaoVenda: unknown;
}

const datePattern = /^'(\d{2})-(\d{2})-(\d{4})'$/;
const resource =
  '/odata/CotacaoMoedaPeriodo(moeda=@moeda,dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao)';

/** YYYY-MM-DD of the date in a query; empty for another form of it, which the bank answers with an empty list. */
const dayOf = (text: string | null) => (text ?? '').replace(datePattern, '$3-$1-$2').replace(/^'.*/, '');

/** Everything that is published of a business day: the closing at its rate, the others at some other one. */
export function bulletinsOf(day: string, rate: unknown, closingName = 'Fechamento'): Bulletin[] {
  return [
    [closingName, '13:09:35.372', rate],
    ['Abertura', '10:08:17.012', 9.1111],
    ['Intermediário', '11:10:02.5', 9.2222],
    ['Intermediário', '12:04:41.119', 9.3333],
    ['Fechamento Interbancário', '18:20:00.000', 9.4444],
  ].map(([tipoBoletim, time, cotacaoVenda]) => ({
    tipoBoletim: String(tipoBoletim),
    dataHoraCotacao: `${day} ${time}`,
    cotacaoVenda,
  }));
}

/** The PTAX service of the central bank on loopback, as it is documented, with what a test lets it publish. */
export class CentralBank {
  /** What is published, by currency. */
  bulletins: Record<string, Bulletin[]> = {};
  /** What it does instead of answering as it should, with the answer. */
  fault: ((response: ServerResponse, answer: string) => void) | null = null;
  /** What it was asked for: currency, first and last day. */
  readonly asked: string[] = [];
  readonly #server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://bank');
    const [currency, first, last] = [
      searchParams.get('@moeda')?.replaceAll("'", '') ?? '',
      dayOf(searchParams.get('@dataInicial')),
      dayOf(searchParams.get('@dataFinalCotacao')),
    ];
    this.asked.push(`${currency} ${first} ${last}`);
    if (decodeURIComponent(pathname) !== resource || searchParams.get('$format') !== 'json')
      return response.writeHead(404).end();
    const value = (this.bulletins[currency] ?? [])
      .filter(({ dataHoraCotacao }) => {
        const day = dataHoraCotacao.slice(0, 10);
        return first <= day && day <= last;
      })
      .map((bulletin) => ({ paridadeCompra: 1, paridadeVenda: 1, cotacaoCompra: 8.8888, ...bulletin }));
    const answer = JSON.stringify({ '@odata.context': 'https://bank/$metadata', value });
    if (this.fault) return this.fault(response, answer);
    response.setHeader('content-type', 'application/json;charset=UTF-8').end(answer);
  });

  /** @returns the address of its service */
  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/odata`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
