import type { Router } from 'express';
import { refuseOtherMethods } from '../src/infrastructure/http/otherMethods.ts';
import { createRouter } from '../src/infrastructure/http/router.ts';

/** A paper plane of 32 × 32 in the format that every browser asks for, with a PNG in it. */
const icon = Buffer.from(
  'AAABAAEAICADAAEAAgDQAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAIDAAAADhSSZwAAAAlQTFRFAAAAC1yt////q/jcAwAA' +
    'AAF0Uk5TAEDm2GYAAAB1SURBVHjaXdDBCYAwDAXQeHAE93EED6bQDiDYfbx4r9A/pUnTCDanx6d8mhDNLLMRTdxmtUCjxbCPiDtZUNiQ' +
    'OgIuQ+4I6ADAiuQAakMGnqqQp3eDRNkQKkoDH44kfb15BEvfgOw4Ffr56FvE317fyt8R/CwvWIVd97KEKEcAAAAASUVORK5CYII=',
  'base64',
);

/** What browsers ask for beside any page, and call missing in their consoles. */
export function createFaviconRouter(): Router {
  const router = createRouter();
  const path = '/favicon.ico';
  router.get(path, (request, response) => {
    request.routeName = path;
    response.setHeader('Cache-Control', 'public, max-age=86400');
    response.setHeader('Content-Security-Policy', "default-src 'none'");
    response.type('image/vnd.microsoft.icon').send(icon);
  });
  refuseOtherMethods(router, path, path);
  return router;
}
