import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Log } from '../src/infrastructure/observability/log.ts';
import { refusalOf, sendError, unknownPath } from './envelope.ts';
import { statusOf } from './errors.ts';

const style = `
body{margin:0;padding:12vh 6vw;background:#eef0f2;color:#000;font:16px/1.5 Helvetica,Arial,sans-serif}
main{max-width:32em;margin:0 auto;padding:1.5em;background:#fff;border:1px solid #c8ccd0}
h1{margin:0 0 .5em;font-size:1.3em}
p{margin:0}
`;

const securityPolicy = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

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

const page = ([title, advice]: Words): string => `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body><main><h1>${title}</h1><p>${advice}</p></main></body>
</html>
`;

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
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Security-Policy', securityPolicy);
  response
    .status(status)
    .type('html')
    .send(page(wordsOf(status)));
}

/** Shows the same to browsers that come to no route at all: links lose their ends on the way, and match none. */
export const refuseCutLink =
  (log: Log): RequestHandler =>
  (request, response, next) => {
    if (request.method === 'GET' && wantsPage(request)) refuseVisitor(request, response, unknownPath, log);
    else next();
  };

const wantsPage = (request: Request) => request.accepts(['json', 'html']) === 'html';
