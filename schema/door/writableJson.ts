/**
 * JSON of what is as deep as a client has it: sent by one, or the answer to one. Undefined for what is nested deeper than can
 * be written, which is less deep than can be read.
 */
export function writableJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
