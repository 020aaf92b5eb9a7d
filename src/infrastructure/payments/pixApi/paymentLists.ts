import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { NotificationPage } from '../provider.ts';
import type { PixApiClient } from './pixApiClient.ts';
import { readAnswer } from './readAnswer.ts';
import { notificationsOf } from './receivedPix.ts';

const dayMs = 24 * 60 * 60_000;

/** Banks limit how long a time one asking may be about; five days are within the limits that are known. */
const longestAskedMs = 5 * dayMs;

/** A payment may be returned for as long after it came ("90 dias desde a data de liquidação original do pix"). */
const returnableMs = 90 * dayMs;

/** A bank whose clock is behind ours takes a time that it has not come to for a mistake. */
const clockDifferenceMs = 60_000;

const itemsAsked = 100;

/** Of no payments, some have no list, and others no number of pages; what has neither is no answer to this. */
const pageSchema = z
  .object({
    parametros: z
      .object({ paginacao: z.object({ quantidadeDePaginas: z.coerce.number() }) })
      .optional()
      .catch(undefined),
    pix: z.array(z.unknown()).nullish(),
  })
  .refine(({ parametros, pix }) => parametros || pix, 'has neither parametros nor pix');

/**
 * A page of payments (`GET /pix`) is asked for by the time that it is about, in milliseconds: all that came since, then the
 * returned ones among those that came before, since a return changes what was told long ago.
 */
interface Asked {
  readonly list: 'received' | 'returned';
  readonly fromMs: number;
  /** Of all that is to be asked of this list. */
  readonly untilMs: number;
  /** Counted from 0, as the Pix API does. */
  readonly page: number;
}

const nameOf = ({ list, fromMs, untilMs, page }: Asked): string => [list, fromMs, untilMs, page].join(' ');

function askedBy(name: string): Asked {
  const [list, ...numbers] = name.split(' ');
  const [fromMs = Number.NaN, untilMs = Number.NaN, page = Number.NaN] = numbers.map(Number);
  return { list: list === 'returned' ? list : 'received', fromMs, untilMs, page };
}

const endOf = ({ fromMs, untilMs }: Asked): number => Math.min(fromMs + longestAskedMs, untilMs);

/** What comes after a page, which may be the last one of its time; null after the last one of all. */
function nextOf(asked: Asked, isLast: boolean, sinceMs: number): Asked | null {
  if (!isLast) return { ...asked, page: asked.page + 1 };
  const endMs = endOf(asked);
  if (endMs < asked.untilMs) return { ...asked, fromMs: endMs, page: 0 };
  if (asked.list === 'returned') return null;
  return { list: 'returned', fromMs: sinceMs - returnableMs, untilMs: sinceMs, page: 0 };
}

/**
 * A page of what the bank came to know since then. A bank that pays no heed to `devolucaoPresente` lists all payments of ninety
 * days, of which only what was returned is told.
 */
export async function listPayments(
  since: Date,
  name: string | null,
  { client, clock }: { client: PixApiClient; clock: Clock },
  signal: AbortSignal,
): Promise<NotificationPage> {
  const sinceMs = since.getTime();
  const untilMs = Math.max(sinceMs + 1, clock.now().getTime() - clockDifferenceMs);
  const asked: Asked =
    name === null ? { list: 'received', fromMs: sinceMs, untilMs, page: 0 } : askedBy(name);
  const query = {
    inicio: new Date(asked.fromMs).toISOString(),
    // Both ends belong to the time that is asked for: what came at one of them would be told twice.
    fim: new Date(endOf(asked) - 1).toISOString(),
    ...(asked.list === 'returned' ? { devolucaoPresente: 'true' } : {}),
    'paginacao.paginaAtual': String(asked.page),
    'paginacao.itensPorPagina': String(itemsAsked),
  };
  const answer = await client.ask({ method: 'GET', path: ['pix'], query, signal });
  const { parametros, pix } = readAnswer(pageSchema, answer, 'list of payments');
  const received = pix ?? [];
  const pages = parametros?.paginacao.quantidadeDePaginas ?? 1;
  const told = received.flatMap(notificationsOf);
  const next = nextOf(asked, received.length === 0 || asked.page + 1 >= pages, sinceMs);
  return {
    notifications: asked.list === 'received' ? told : told.filter(({ outcome }) => outcome === 'returned'),
    nextPage: next && nameOf(next),
  };
}
