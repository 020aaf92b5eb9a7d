import { type DrawingContext, render } from 'bwip-js/node';

/** One printed bar, in modules (narrow bars) from the left edge of the symbol. */
export interface Bar {
  start: number;
  width: number;
}

/** FEBRABAN's size of the bars, with 44 digits at 3:1; 5 mm of white must stand left and right of them. */
export const barsWidthMm = 103;
export const barsHeightMm = 13;
export const quietZoneMm = 5;
/** Start pattern, 22 pairs of digits of 18 modules, stop pattern. */
export const barsModules = 4 + 22 * 18 + 5;

/** An even number of drawing units a module: the library rounds the middle of a bar to whole units. */
const drawingUnits = 2;

/** Collects the bars instead of drawing them; each comes as a vertical line around its middle. */
function collectingContext(bars: Bar[]): DrawingContext<Bar[]> {
  return {
    scale: () => [drawingUnits, drawingUnits],
    measure: () => ({ width: 0, ascent: 0, descent: 0 }),
    init: () => undefined,
    line: (middle, _top, _x, _bottom, width) => {
      bars.push({ start: (middle - width / 2) / drawingUnits, width: width / drawingUnits });
    },
    polygon: () => undefined,
    hexagon: () => undefined,
    ellipse: () => undefined,
    fill: () => undefined,
    text: () => undefined,
    end: () => bars,
  };
}

/** The bars of a boleto's 44 digits: Interleaved 2 of 5, wide bars three times the narrow ones. */
export function boletoBars(barcode: string): Bar[] {
  return render({ bcid: 'interleaved2of5', text: barcode, height: barsHeightMm }, collectingContext([]));
}
