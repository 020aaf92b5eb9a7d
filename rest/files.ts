import type { Response, Router } from 'express';
import type { Gateway } from '../src/domain/gateway.ts';
import { countLink } from '../src/domain/identification.ts';
import { chargeLinks, chargePaths } from '../src/domain/recharges/chargeLinks.ts';
import { readBoleto, readPix } from '../src/domain/recharges/payerFiles.ts';
import { refuseOtherMethods } from '../src/infrastructure/http/otherMethods.ts';
import { createRouter } from '../src/infrastructure/http/router.ts';
import { laterPart } from '../src/infrastructure/laterParts.ts';
import { refuseCutLink, refuseVisitor } from './visitorRefusal.ts';

const loadPixQrCode = laterPart(() => import('../src/infrastructure/payments/pixQrCode.ts'));
const loadPixEnd = laterPart(() => import('../src/infrastructure/payments/pixEnd.ts'));
const loadBoletoPdf = laterPart(() => import('../src/infrastructure/payments/boletoPdf.ts'));
const loadBoletoPage = laterPart(() => import('../src/infrastructure/payments/boletoPage.ts'));

type FileHandler = (rechargeId: string, response: Response) => Promise<void>;

/**
 * What a payer sees of a charge, who has its link and no key: QR image, boleto page and PDF. What draws them is loaded
 * soon after the start: that is faster without.
 */
export function createFileRouter(gateway: Gateway): Router {
  const { platform } = gateway;
  const router = createRouter();

  const serve = (path: string, handle: FileHandler): void => {
    router.get(path, async (request, response) => {
      request.routeName = path;
      try {
        await countLink(request.ip ?? '', gateway);
        response.setHeader('Cache-Control', 'private, no-cache');
        await handle(String(request.params.id), response);
      } catch (error) {
        refuseVisitor(request, response, error, platform.log);
      }
    });
    refuseOtherMethods(router, path, path);
  };

  serve(chargePaths.pixQrcode(':id'), async (id, response) => {
    const { code, status } = await readPix(id, platform);
    response.type('png');
    if (status === 'pending') {
      const { pixQrCode } = await loadPixQrCode();
      response.send(await pixQrCode(code));
    } else {
      const { pixEndImage } = await loadPixEnd();
      response.send(pixEndImage(status));
    }
  });
  serve(chargePaths.boletoPdf(':id'), async (id, response) => {
    const slip = await readBoleto(id, platform);
    const { boletoPdf } = await loadBoletoPdf();
    const pdf = await boletoPdf(slip);
    response.setHeader('Content-Disposition', `inline; filename="boleto-${id}.pdf"`);
    response.type('pdf').send(pdf);
  });
  serve(chargePaths.boleto(':id'), async (id, response) => {
    const slip = await readBoleto(id, platform);
    const { boletoPage, boletoPageSecurityPolicy } = await loadBoletoPage();
    const { boletoPdf: pdfUrl } = chargeLinks(id, platform.publicUrl);
    const page = boletoPage(slip, { pdfUrl });
    response.setHeader('Content-Security-Policy', boletoPageSecurityPolicy);
    response.type('html').send(page);
  });
  router.use(['/boletos', '/pix'], refuseCutLink(platform.log));
  return router;
}
