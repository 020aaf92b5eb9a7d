import type { Big } from 'big.js';
import { DateTime } from 'luxon';
import { z } from 'zod';
import { StrictDecimal } from '../../strictDecimal.ts';
import { bankZone } from '../../text/brazilianText.ts';
import { isRate } from '../rateTable.ts';

/**
 * The bulletins of Banco Central do Brasil, as its Olinda service hands them out, without a key.
 *
 * From the bank's documentation of the service "Dólar comercial (venda e compra) - cotações diárias e Taxas de Câmbio -
 * todos os boletins diários", v1: `CotacaoMoedaPeriodo` takes `moeda` (three letters), `dataInicial` and `dataFinalCotacao`
 * (text, MM-DD-AAAA), and answers OData: `{ "value": [{ paridadeCompra, paridadeVenda, cotacaoCompra, cotacaoVenda,
 * dataHoraCotacao, tipoBoletim }] }`. The `cotacao` members are reais for one unit of the currency, to buy and to sell; the
 * `paridade` ones are against the dollar, and which way round depends on the currency. Each day has five bulletins, an
 * opening, three intermediate ones and a closing: `tipoBoletim` is Abertura, Intermediário, Fechamento Interbancário or
 * Fechamento. How PTAX is made is in Circular 3.506/2010: the closing is the mean of the four consultations of its day.
 *
 * Not from there, but what others have met: the closing is also called "Fechamento PTAX", and "Fechamento Interbancário"
 * is of days before July 2011; `dataHoraCotacao` is "2026-11-20 13:09:35.372" in Brasília's time; days without business
 * have no bulletin, and the present one those that are out so far; a closing may come twice; dates in another form, and
 * currencies that the service does not have, get an empty list and no error.
 */
export const olindaUrl = 'https://olinda.bcb.gov.br/olinda/servico/PTAX/versao/v1/odata';

/** How many days back the bank is asked for: longer than any closure of its own. */
const daysAsked = 10;

const formatDay = (day: DateTime) => day.toFormat("''MM-dd-yyyy''");

/** Where the bulletins of a currency stand, of the days up to an instant. */
export function bulletinsUrl(baseUrl: string, currency: string, now: Date): string {
  const today = DateTime.fromJSDate(now, { zone: bankZone });
  const members = {
    '@moeda': `'${currency}'`,
    '@dataInicial': formatDay(today.minus({ days: daysAsked })),
    '@dataFinalCotacao': formatDay(today),
    $format: 'json',
  };
  // Written out as in the bank's own examples: URLSearchParams would write %40 and %24.
  const query = Object.entries(members).map(([name, value]) => `${name}=${value}`);
  const resource =
    'CotacaoMoedaPeriodo(moeda=@moeda,dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao)';
  return `${baseUrl.replace(/\/+$/, '')}/${resource}?${query.join('&')}`;
}

/** The closing bulletin of a day. */
export interface Closing {
  /** YYYY-MM-DD, in Brasília. */
  readonly day: string;
  readonly quotedAt: Date;
  /** Reais for one unit, to sell; null where what stands there cannot be a rate. */
  readonly rate: Big | null;
  /** What stands there, for the log. */
  readonly told: string;
}

const closingNames: readonly string[] = ['Fechamento', 'Fechamento PTAX'];

const answerSchema = z.object({
  value: z.array(
    z.object({ tipoBoletim: z.string(), dataHoraCotacao: z.string(), cotacaoVenda: z.unknown() }),
  ),
});

/**
 * The closings of an answer up to an instant, one a day, the earliest first. The order of bulletins is not counted on, and
 * of two closings of a day the later one holds.
 * @throws Error when it is no answer of that service, or has no closing: in ten days there is one
 */
export function readClosings(text: string, now: Date): Closing[] {
  const closings = parseAnswer(text)
    .filter(({ tipoBoletim }) => closingNames.includes(tipoBoletim.trim()))
    .map(({ dataHoraCotacao, cotacaoVenda }) => closingOf(dataHoraCotacao, cotacaoVenda))
    .filter(({ quotedAt }) => quotedAt <= now)
    .sort((one, other) => one.quotedAt.getTime() - other.quotedAt.getTime());
  if (closings.length === 0) throw new Error(`no closing bulletin of ${daysAsked} days`);
  return [...new Map(closings.map((closing) => [closing.day, closing])).values()];
}

function parseAnswer(text: string) {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error(`answered no JSON: ${excerptOf(text)}`);
  }
  const parsed = answerSchema.safeParse(json);
  if (!parsed.success) throw new Error(`answered something else than bulletins: ${excerptOf(text)}`);
  return parsed.data.value;
}

function closingOf(instant: string, told: unknown): Closing {
  const quoted = DateTime.fromSQL(instant, { zone: bankZone });
  if (!quoted.isValid) throw new Error(`a bulletin of no instant: ${excerptOf(instant)}`);
  // A number of the bank has few digits: in decimal it is what the bank wrote.
  const text = typeof told === 'number' ? String(told) : '';
  return {
    day: quoted.toFormat('yyyy-MM-dd'),
    quotedAt: quoted.toJSDate(),
    rate: isRate(text) ? new StrictDecimal(text) : null,
    told: excerptOf(JSON.stringify(told)),
  };
}

const excerptOf = (text: string) => text.slice(0, 100);
