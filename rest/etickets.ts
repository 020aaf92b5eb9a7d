import type { Router } from 'express';
import { eticketPath, readReceipt } from '../src/domain/bookings/eticket.ts';
import type { Gateway } from '../src/domain/gateway.ts';
import { countLink } from '../src/domain/identification.ts';
import { refuseOtherMethods } from '../src/infrastructure/http/otherMethods.ts';
import { createRouter } from '../src/infrastructure/http/router.ts';
import { laterPart } from '../src/infrastructure/laterParts.ts';
import { refuseCutLink, refuseVisitor } from './visitorRefusal.ts';

const loadEticketPdf = laterPart(() => import('../src/infrastructure/tickets/eticketPdf.ts'));

/** E-ticket receipts, for travellers who have the signed link and no key. */
export function createEticketRouter(gateway: Gateway): Router {
  const { platform } = gateway;
  const router = createRouter();
  const routeName = eticketPath(':id');
  router.get(routeName, async (request, response) => {
    request.routeName = routeName;
    try {
      await countLink(request.ip ?? '', gateway);
      const id = String(request.params.id);
      const { signature } = request.query;
      const receipt = await readReceipt(id, typeof signature === 'string' ? signature : '', platform);
      const { eticketPdf } = await loadEticketPdf();
      const pdf = await eticketPdf(receipt);
      response.setHeader('Cache-Control', 'private, no-cache');
      response.setHeader('Content-Disposition', `inline; filename="eticket-${receipt.locator}.pdf"`);
      // The link is the permission: it must not travel on to wherever a reader goes next.
      response.setHeader('Referrer-Policy', 'no-referrer');
      response.type('pdf').send(pdf);
    } catch (error) {
      refuseVisitor(request, response, error, platform.log);
    }
  });
  refuseOtherMethods(router, routeName, routeName);
  router.use('/etickets', refuseCutLink(platform.log));
  return router;
}
