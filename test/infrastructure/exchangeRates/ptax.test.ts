import { describe, expect, it } from 'vitest';
import { areOfOneCurrency, judgeClosings } from '../../../src/infrastructure/exchangeRates/ptax/belief.ts';
import { bulletinsUrl, readClosings } from '../../../src/infrastructure/exchangeRates/ptax/bulletins.ts';
import { StrictDecimal } from '../../../src/infrastructure/strictDecimal.ts';

const now = new Date('2026-11-21T15:00:00.000Z');

const bulletin = (dataHoraCotacao: string, cotacaoVenda: unknown, tipoBoletim = 'Fechamento') => ({
  paridadeCompra: 1,
  paridadeVenda: 1,
  cotacaoCompra: 5.1,
  cotacaoVenda,
  dataHoraCotacao,
  tipoBoletim,
});
const answer = (...value: object[]) => JSON.stringify({ '@odata.context': 'https://bank/$metadata', value });
const read = (...value: object[]) =>
  readClosings(answer(...value), now).map(({ day, rate }) => [day, rate?.toString() ?? null]);

describe('bulletins of the central bank', () => {
  it.each([
    ['2026-11-21T15:00:00.000Z', '11-11-2026', '11-21-2026'],
    // In Brasília it is still the day before.
    ['2027-01-05T02:59:59.999Z', '12-25-2026', '01-04-2027'],
  ])('are asked for with days of Brasília and the month first at %s', (instant, first, last) => {
    const url = new URL(bulletinsUrl('https://bank/odata/', 'EUR', new Date(instant)));
    expect(url.pathname).toBe(
      '/odata/CotacaoMoedaPeriodo(moeda=@moeda,dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao)',
    );
    expect(url.search.replaceAll('%27', "'")).toBe(
      `?@moeda='EUR'&@dataInicial='${first}'&@dataFinalCotacao='${last}'&$format=json`,
    );
  });

  it('are read for the closing of each day, in whatever order they come', () => {
    expect(
      read(
        bulletin('2026-11-19 13:09:35.372', 5.3417, 'Fechamento PTAX'),
        bulletin('2026-11-19 18:20:00.000', 5.9, 'Fechamento Interbancário'),
        bulletin('2026-11-18 13:11:02', 5.3217),
        bulletin('2026-11-18 10:08:17.012', 5.8, 'Abertura'),
        bulletin('2026-11-17 13:40:00.0', 5.3),
        bulletin('2026-11-17 13:10:00.0', 5.2),
      ),
    ).toEqual([
      ['2026-11-17', '5.3'],
      ['2026-11-18', '5.3217'],
      ['2026-11-19', '5.3417'],
    ]);
  });

  it('apply from their publication, in the time of Brasília', () => {
    const [closing] = readClosings(answer(bulletin('2026-11-19 13:09:35.372', 5.3417)), now);
    expect(closing?.quotedAt.toISOString()).toBe('2026-11-19T16:09:35.372Z');
    expect(read(bulletin('2026-11-19 13:09:35', 5.3), bulletin('2026-11-21 12:00:00.001', 5.4))).toEqual([
      ['2026-11-19', '5.3'],
    ]);
    // In UTC it is the day after.
    expect(read(bulletin('2026-11-19 23:30:00', 5.3))).toEqual([['2026-11-19', '5.3']]);
  });

  it.each([0, -5.3, '5.3417', null, 1e21, 1e-9, 5.123456789, [5.3]])('have no rate in %j', (told) => {
    expect(read(bulletin('2026-11-19 13:09:35', told))).toEqual([['2026-11-19', null]]);
  });

  it.each([
    ['<!DOCTYPE html><title>Manutenção</title>', 'answered no JSON: <!DOCTYPE html>'],
    ['', 'answered no JSON'],
    ['{"codigo":500,"mensagem":"Erro"}', 'answered something else than bulletins: {"codigo":500'],
    ['null', 'answered something else'],
    ['{"value":{}}', 'answered something else'],
    [answer({ tipoBoletim: 'Fechamento', cotacaoVenda: 5.3 }), 'answered something else'],
    [
      answer({ tipoBoletim: 'Fechamento', dataHoraCotacao: '2026-11-19 13:09:35' }),
      'answered something else',
    ],
    [answer(bulletin('19/11/2026 13:09', 5.3)), 'a bulletin of no instant: 19/11/2026 13:09'],
    [answer(), 'no closing bulletin'],
    [answer(bulletin('2026-11-19 10:08:17', 5.3, 'Abertura')), 'no closing bulletin'],
  ])('are not in %s', (text, message) => {
    expect(() => readClosings(text, now)).toThrow(message);
  });
});

describe('closings of the central bank', () => {
  const closing = (day: string, rate: string | null) => ({
    day: `2026-11-${day}`,
    quotedAt: new Date(`2026-11-${day}T16:10:00.000Z`),
    rate: rate === null ? null : new StrictDecimal(rate),
    told: String(rate),
  });
  const known = (day: string, rate: string) => ({ ...closing(day, rate), rate: new StrictDecimal(rate) });
  const days = (closings: readonly { day: string }[]) => closings.map(({ day }) => day.slice(-2));
  type Told = [day: string, rate: string | null];
  const judge = (told: Told[], before: [string, string][] = []) => {
    const judged = judgeClosings(
      told.map(([day, rate]) => closing(day, rate)),
      before.map(([day, rate]) => known(day, rate)),
    );
    return [days(judged.believed), days(judged.doubted)];
  };

  it.each<[string, Told[], [string, string][], string[], string[]]>([
    [
      'a fifth up and a fifth down',
      [
        ['17', '6'],
        ['18', '4.8'],
      ],
      [['16', '5']],
      ['17', '18'],
      [],
    ],
    ['more than a fifth up', [['17', '6.0001']], [['16', '5']], [], ['17']],
    ['more than a fifth down', [['17', '3.9999']], [['16', '5']], [], ['17']],
    [
      'a slip, and none the day after',
      [
        ['17', '53'],
        ['18', '5.4'],
      ],
      [['16', '5.3']],
      ['18'],
      ['17'],
    ],
    [
      'a crash that the day after confirms',
      [
        ['17', '9'],
        ['18', '9.5'],
      ],
      [['16', '5.3']],
      ['18'],
      ['17'],
    ],
    [
      'no rate on a day',
      [
        ['17', null],
        ['18', '5.4'],
      ],
      [['16', '5.3']],
      ['18'],
      ['17'],
    ],
    [
      'a slip behind a climb',
      [
        ['17', '6'],
        ['18', '60'],
        ['19', '7'],
      ],
      [['16', '5']],
      ['17', '19'],
      ['18'],
    ],
    [
      'a climb that went on before them',
      [['17', '7']],
      [
        ['15', '5'],
        ['16', '6'],
      ],
      ['17'],
      [],
    ],
    [
      'the first ever',
      [
        ['17', '5.3'],
        ['18', '5.4'],
      ],
      [],
      ['18'],
      ['17'],
    ],
    [
      'the first ever, and no rate on the day after',
      [
        ['17', '5.3'],
        ['18', null],
        ['19', '5.4'],
      ],
      [],
      ['19'],
      ['17', '18'],
    ],
    [
      'a slip in the first ever',
      [
        ['17', '53'],
        ['18', '5.3'],
        ['19', '5.4'],
      ],
      [],
      ['19'],
      ['17', '18'],
    ],
    [
      'what is known, corrected',
      [
        ['16', '5.35'],
        ['17', '5.4'],
      ],
      [['16', '5.3']],
      ['16', '17'],
      [],
    ],
    [
      'a slip that was believed, corrected in the first of them',
      [['16', '5']],
      [
        ['13', '5.3'],
        ['16', '6.3'],
      ],
      ['16'],
      [],
    ],
  ])('are judged: %s', (_case, told, before, believed, doubted) => {
    expect(judge(told, before)).toEqual([believed, doubted]);
  });

  it('are not believed at all when days gone by have other rates than they had', () => {
    const told: Told[] = [
      ['16', '53'],
      ['17', '53'],
      ['18', '54'],
    ];
    expect(() => judge(told, [['16', '5.3']])).toThrow('53 on 2026-11-16, which was 5.3');
  });

  it.each<[string, Told[], boolean]>([
    [
      'the same on two days',
      [
        ['17', '5.4'],
        ['18', '5.5'],
        ['19', '5.6'],
      ],
      true,
    ],
    [
      'the same on the only day that both have',
      [
        ['18', '5.5'],
        ['19', '6.2'],
      ],
      false,
    ],
    [
      'the same on one of two days',
      [
        ['17', '6.1'],
        ['18', '5.5'],
      ],
      false,
    ],
  ])('are those of another currency, or not: %s', (_case, told, expected) => {
    const closings = (of: Told[]) => of.map(([day, rate]) => closing(day, rate));
    const others: Told[] = [
      ['16', '5.3'],
      ['17', '5.4'],
      ['18', '5.5'],
    ];
    expect(areOfOneCurrency(closings(told), closings(others))).toBe(expected);
  });
});
