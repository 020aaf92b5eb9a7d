import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { simulatedSupplier } from '../../src/infrastructure/flights/simulated/simulatedSupplier.ts';
import type { FlightSupplier } from '../../src/infrastructure/flights/supplier.ts';
import { ManualClock } from '../harness/manualClock.ts';

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
function bulletinsOf(day: string, rate: unknown, closingName = 'Fechamento'): Bulletin[] {
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

/** The closings of a week whose Friday, the 20th, is a holiday. */
const week = {
  USD: { '2026-11-16': 5.3001, '2026-11-17': 5.2888, '2026-11-18': 5.3217, '2026-11-19': 5.3417 },
  EUR: { '2026-11-16': 6.1, '2026-11-17': 6.1111, '2026-11-18': 6.15, '2026-11-19': 6.1702 },
};

/** What it may do instead of answering. */
type Fault = (response: ServerResponse, answer: string) => void;

export const never: Fault = () => undefined;
export const failing: Fault = (response, answer) => response.writeHead(503).end(answer);
export const html: Fault = (response) =>
  response.setHeader('content-type', 'text/html').end('<!DOCTYPE html><title>Manutenção</title>');
export const endless: Fault = (response, answer) => response.end(answer + ' '.repeat(1_000_000));
/** No fault: a byte order mark is what some servers write before UTF-8. */
export const marked: Fault = (response, answer) => response.end(`\ufeff${answer}`);
export const cut: Fault = (response) => response.destroy();

/** The PTAX service of the central bank on loopback, as it is documented, with what a test lets it publish. */
export class CentralBank {
  /** What is published, by currency. */
  bulletins: Record<string, Bulletin[]> = {};
  fault: Fault | null = null;
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

  /** Publishes the week of the 16th, the first euros of the next one, and these closings of the dollar. */
  publishWeek(dollars: Record<string, unknown> = {}): void {
    const bulletins = (closings: Record<string, unknown>) =>
      Object.entries(closings).flatMap(([day, rate]) => bulletinsOf(day, rate));
    this.bulletins = {
      USD: bulletins({ ...week.USD, ...dollars }),
      EUR: bulletins({ ...week.EUR, '2026-11-23': 6.1702, '2026-11-24': 6.2 }),
    };
  }

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

const world = simulatedSupplier(new ManualClock(new Date('2026-11-21T12:00:00.000Z')));

/** Sells one flight for 100.00 in each of the currencies that it is told at each search. */
export const sellingIn = (currencies: () => ('BRL' | 'USD' | 'EUR')[]): FlightSupplier => ({
  name: 'simulated',
  orders: world.orders,
  async search(search, options) {
    const offers = await world.search(search, options);
    return currencies().map((currency, index) => ({ ...offers[index]!, currency, totalAmount: '100.00' }));
  },
});
