import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ErrorRequestHandler, IRouter, RequestHandler, Response } from 'express';
import { refuseOtherMethods } from './otherMethods.ts';
import { createRouter } from './router.ts';

const require = createRequire(import.meta.url);

/** A range that a file does not have, or a condition that it does not meet, is the client's doing. */
const answerUnmet: ErrorRequestHandler = (error, _request, response, next) => {
  const { status } = error as { status?: number };
  if (response.headersSent || (status !== 412 && status !== 416)) return next(error);
  response.status(status).end();
};

/** Serves one file of a page, for GET alone. */
function serve(router: IRouter, mount: string, name: string, send: (response: Response) => void): void {
  const routeName = `${mount}/${name}`;
  router.get(`/${name}`, (request, response) => {
    request.routeName = routeName;
    send(response);
  });
  refuseOtherMethods(router, `/${name}`, routeName);
}

/**
 * Serves files of an installed package, so that pages need nothing from the internet.
 * @param mount the path that they are served below, as logs and metrics call it.
 * @param files paths inside the package, by name.
 */
export function packageFiles(
  mount: string,
  packageName: string,
  files: Readonly<Record<string, string>>,
): RequestHandler {
  const folder = dirname(require.resolve(`${packageName}/package.json`));
  const router = createRouter();
  for (const [name, path] of Object.entries(files))
    serve(router, mount, name, (response) => response.sendFile(join(folder, path), { maxAge: '1d' }));
  router.use(answerUnmet);
  return router;
}

/** Serves what starts a page as `start.js`, below the path `mount`. */
export function pageScript(mount: string, text: string): RequestHandler {
  const router = createRouter();
  serve(router, mount, 'start.js', (response) => response.type('js').send(text));
  return router;
}
