import { toBuffer } from 'qrcode';

/** ISO/IEC 18004 asks for four modules of white around the symbol. */
const quietZoneModules = 4;
/** Whole pixels a module keep the edges sharp: about 450 pixels for a BR Code. */
const modulePixels = 8;

/** PNG of the QR code that carries a BR Code. */
export function pixQrCode(code: string): Promise<Buffer> {
  return toBuffer(code, {
    type: 'png',
    errorCorrectionLevel: 'M',
    margin: quietZoneModules,
    scale: modulePixels,
  });
}
