import jsQrModule from 'jsqr';
import { PNG } from 'pngjs';

/** What a camera reads in an image; null where there is no code in it. */
export function readQrCode(png: Buffer): string | null {
  const { data, width, height } = PNG.sync.read(png);
  return jsQrModule.default(Uint8ClampedArray.from(data), width, height)?.data ?? null;
}
