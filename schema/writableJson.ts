/**
 * JSON of what a client sent; undefined for what is nested deeper than can be written, which is less deep than can be read.
 */
export function writableJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
