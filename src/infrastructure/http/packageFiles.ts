import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { IRouter, Request, RequestHandler, Response } from 'express';
import { keptFile, sendKeptFile } from './keptFile.ts';
import { refuseOtherMethods } from './otherMethods.ts';
import { createRouter } from './router.ts';

const require = createRequire(import.meta.url);

/** Serves one file of a page, for GET alone. */
function serve(
  router: IRouter,
  mount: string,
  name: string,
  send: (request: Request, response: Response) => void | Promise<void>,
): void {
  const routeName = `${mount}/${name}`;
  router.get(`/${name}`, (request, response) => {
    request.routeName = routeName;
    return send(request, response);
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
  for (const [name, path] of Object.entries(files)) {
    const file = keptFile(join(folder, path));
    serve(router, mount, name, async (request, response) => sendKeptFile(request, response, await file()));
  }
  return router;
}

/** Serves what starts a page as `start.js`, below the path `mount`. */
export function pageScript(mount: string, text: string): RequestHandler {
  const router = createRouter();
  serve(router, mount, 'start.js', (_request, response) => void response.type('js').send(text));
  return router;
}
