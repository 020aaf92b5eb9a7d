import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { RequestHandler } from 'express';
import express from 'express';
import { refuseOtherMethods } from './otherMethods.ts';

const require = createRequire(import.meta.url);

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
  return router;
}
