import type { Request, RequestHandler, Response } from 'express';
import type { Log } from '../src/infrastructure/observability/log.ts';
import { sendCardPage } from './cardPage.ts';
import { refusalOf, sendError, unknownPath } from './envelope.ts';
import { statusOf } from './errors.ts';

type Words = readonly [title: string, advice: string];

const unknownLink: Words = [
  'Link não encontrado',
  'Confira se o endereço está completo. Se estiver, peça um novo link a quem o enviou.',
];
const tooMany: Words = ['Muitos acessos seguidos', 'Aguarde um minuto e abra o link de novo.'];
const ourFault: Words = ['Não foi possível abrir o link', 'Tente de novo em alguns minutos.'];

function wordsOf(status: number): Words {
  if (status === 429) return tooMany;
  return status < 500 ? unknownLink : ourFault;
}

/**
 * Refuses whoever followed a link that was handed out: a browser shows payers and travellers a page in their language,
 * any other client has the error body.
 */
export function refuseVisitor(request: Request, response: Response, error: unknown, log: Log): void {
  if (!wantsPage(request)) {
    sendError(response, error, null, log);
    return;
  }
  const status = statusOf(refusalOf(response, error, log));
  const [title, advice] = wordsOf(status);
  response.setHeader('Cache-Control', 'no-store');
  response.status(status);
  sendCardPage(response, { language: 'pt-BR', title, body: `<p>${advice}</p>` });
}

/** Shows the same to browsers that come to no route at all: links lose their ends on the way, and match none. */
export const refuseCutLink =
  (log: Log): RequestHandler =>
  (request, response, next) => {
    if (request.method === 'GET' && wantsPage(request)) refuseVisitor(request, response, unknownPath, log);
    else next();
  };

const wantsPage = (request: Request) => request.accepts(['json', 'html']) === 'html';
