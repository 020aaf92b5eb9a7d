import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import express from 'express';
import { refuseOtherMethods } from './otherMethods.ts';

const require = createRequire(import.meta.url);

/** A range that a file does not have, or a condition that it does not meet, is the client's doing. */
const answerUnmet: ErrorRequestHandler = (error, _request, response, next) => {
  const { status } = error as { status?: number };
  if (response.headersSent || (status !== 412 && status !== 416)) return next(error);
  response.status(status).end();
};

/** Serves files of an installed package, so that pages need nothing from the internet. `files` are paths inside it. */
export function packageFiles(packageName: string, files: Readonly<Record<string, string>>): RequestHandler {
  const folder = dirname(require.resolve(`${packageName}/package.json`));
  const router = express.Router();
  for (const [name, path] of Object.entries(files)) {
    router.get(`/${name}`, (request, response) => {
      request.routeName = `/assets/${name}`;
      response.sendFile(join(folder, path), { maxAge: '1d' });
    });
    refuseOtherMethods(router, `/${name}`, `/assets/${name}`);
  }
  router.use(answerUnmet);
  return router;
}
