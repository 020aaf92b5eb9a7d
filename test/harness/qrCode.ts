import jsQrModule from 'jsqr';
import { PNG } from 'pngjs';
import type { Rectangle } from './pdfContent.ts';

/** What a camera reads in an image; null where there is no code in it. */
export function readQrCode(png: Buffer): string | null {
  const { data, width, height } = PNG.sync.read(png);
  return jsQrModule.default(Uint8ClampedArray.from(data), width, height)?.data ?? null;
}

/** What a reader of QR codes finds in black squares on white. */
export function readQrModules(squares: readonly Rectangle[]): string | undefined {
  const [quietZone, scale] = [4, 4];
  const size = squares[0]!.width;
  const left = Math.min(...squares.map(({ x }) => x));
  const low = Math.min(...squares.map(({ y }) => y));
  const high = Math.max(...squares.map(({ y }) => y));
  const pixels = (Math.round((high - low) / size) + 1 + 2 * quietZone) * scale;
  const image = new Uint8ClampedArray(pixels * pixels * 4).fill(255);
  for (const { x, y } of squares) {
    const column = (Math.round((x - left) / size) + quietZone) * scale;
    const row = (Math.round((y - low) / size) + quietZone) * scale;
    for (let index = 0; index < scale * scale; index += 1) {
      const at = ((row + Math.floor(index / scale)) * pixels + column + (index % scale)) * 4;
      image.fill(0, at, at + 3);
    }
  }
  return jsQrModule.default(image, pixels, pixels)?.data;
}
