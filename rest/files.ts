import type { Response } from 'express';
import { Router } from 'express';
import { notFound } from '../src/domain/errors.ts';
import type { Gateway } from '../src/domain/gateway.ts';
import { chargeLinks, chargePaths } from '../src/domain/recharges/chargeLinks.ts';
import { findChargeOfPayer } from '../src/domain/recharges/reading.ts';
import type { Recharge } from '../src/domain/recharges/recharge.ts';
import { Team } from '../src/domain/teams/team.ts';
import { refuseOtherMethods } from '../src/infrastructure/http/otherMethods.ts';
import type { BoletoSlip } from '../src/infrastructure/payments/boletoSlip.ts';
import { boletoSlip } from '../src/infrastructure/payments/boletoSlip.ts';
import { sendError } from './envelope.ts';

type FileHandler = (recharge: Recharge, response: Response) => Promise<void>;

/**
 * What a payer sees of a charge, who has its link and no key: QR image, boleto page and PDF. What draws them is loaded
 * with the first of each: a start is faster without.
 */
export function createFileRouter(gateway: Gateway): Router {
  const { platform } = gateway;
  const router = Router({ caseSensitive: true });

  const serve = (path: string, handle: FileHandler): void => {
    router.get(path, async (request, response) => {
      request.routeName = path;
      try {
        response.setHeader('Cache-Control', 'private, no-cache');
        await handle(await findChargeOfPayer(String(request.params.id)), response);
      } catch (error) {
        sendError(response, error, null, platform.log);
      }
    });
    refuseOtherMethods(router, path, path);
  };

  const slipOf = async (recharge: Recharge): Promise<BoletoSlip> => {
    const { charge } = recharge;
    const issuer = platform.paymentProvider.boletoIssuer;
    if (charge.method !== 'boleto' || !issuer) throw notFound('Boleto');
    const team = await Team.findByPk(recharge.teamId, { attributes: ['name'], rejectOnEmpty: true });
    const { id: rechargeId, mode, status, createdAt, expiresAt, paidAt } = recharge;
    const { barcode, digitableLine, ourNumber } = charge;
    return boletoSlip(
      {
        rechargeId,
        mode,
        status,
        amountCents: BigInt(recharge.amountCents),
        teamName: team.name,
        createdAt,
        expiresAt,
        paidAt,
        barcode,
        digitableLine,
        ourNumber,
      },
      issuer,
    );
  };

  serve(chargePaths.pixQrcode(':id'), async ({ charge }, response) => {
    if (charge.method !== 'pix') throw notFound('QR code');
    const { pixQrCode } = await import('../src/infrastructure/payments/pixQrCode.ts');
    response.type('png').send(await pixQrCode(charge.pixCopyPaste));
  });
  serve(chargePaths.boletoPdf(':id'), async (recharge, response) => {
    const { boletoPdf } = await import('../src/infrastructure/payments/boletoPdf.ts');
    const pdf = await boletoPdf(await slipOf(recharge));
    response.setHeader('Content-Disposition', `inline; filename="boleto-${recharge.id}.pdf"`);
    response.type('pdf').send(pdf);
  });
  serve(chargePaths.boleto(':id'), async (recharge, response) => {
    const { boletoPage, boletoPageSecurityPolicy } = await import(
      '../src/infrastructure/payments/boletoPage.ts'
    );
    const { boletoPdf: pdfUrl } = chargeLinks(recharge.id, platform.publicUrl);
    const page = boletoPage(await slipOf(recharge), { pdfUrl });
    response.setHeader('Content-Security-Policy', boletoPageSecurityPolicy);
    response.type('html').send(page);
  });
  return router;
}
