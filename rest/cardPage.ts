import type { Response } from 'express';
import { pagePolicy } from '../src/infrastructure/http/pagePolicy.ts';

const style = `
body{margin:0;padding:12vh 6vw;background:#eef0f2;color:#000;font:16px/1.5 Helvetica,Arial,sans-serif}
main{max-width:36em;margin:0 auto;padding:1.5em;background:#fff;border:1px solid #c8ccd0}
h1{margin:0 0 .5em;font-size:1.3em}
p{margin:0}
dt{margin-top:.8em;font-weight:bold}
dd{margin:0}
code{font-size:.9em}
`;

const securityPolicy = pagePolicy({ style });

/** A page that says one thing. Texts are HTML, and none is a client's. */
export interface CardPage {
  readonly language: 'en' | 'pt-BR';
  readonly title: string;
  readonly body: string;
}

/** Answers with a page; the status stays as it was set. */
export function sendCardPage(response: Response, { language, title, body }: CardPage): void {
  response.setHeader('Content-Security-Policy', securityPolicy);
  response.type('html').send(`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body><main>
<h1>${title}</h1>
${body}
</main></body>
</html>
`);
}
