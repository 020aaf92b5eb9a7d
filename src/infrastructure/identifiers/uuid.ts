import { randomFillSync } from 'node:crypto';

/** Random bytes are asked for by the thousand: asking takes longer than making an id of them. */
const poolBytes = 4_096;
const bytesOfOne = 10;

/** How far the clock may be set back without new ids falling behind those that were made. */
const setBackMs = 10_000;

const bitsOfCounter = 31;
const mostCounted = 2 ** bitsOfCounter - 1;

/** What the counter goes on by is a random number of so many bits, and one. */
const bitsOfStep = 16;

/**
 * Makes the 16 bytes of UUIDs of version 7 (RFC 9562 §5.7): the time, 31 bits of a counter and 43 random ones. The counter
 * begins anew with each millisecond, with a random number, and goes on by random ones (§6.2, methods 1 and 2): ids sort in
 * the order they were made, and whoever knows some of them is no nearer to guessing those of another moment, and cannot
 * tell how many others were made in between.
 * @param fill puts random bytes into all of a buffer.
 */
export function uuidSource(nowMs: () => number, fill: (buffer: Buffer) => void): () => Uint8Array {
  const pool = Buffer.allocUnsafe(poolBytes);
  let taken = pool.length;
  let latestMs = 0;
  let counter = 0;
  const count = (presentMs: number, random: number): void => {
    const isNew = presentMs > latestMs || presentMs < latestMs - setBackMs;
    const next = counter + 1 + (random >>> (bitsOfCounter - bitsOfStep));
    if (!isNew && next <= mostCounted) {
      counter = next;
      return;
    }
    latestMs = isNew ? presentMs : latestMs + 1;
    counter = random;
  };
  return () => {
    if (taken + bytesOfOne > pool.length) {
      fill(pool);
      taken = 0;
    }
    const bytes = Buffer.allocUnsafe(16);
    pool.copy(bytes, 6, taken, taken + bytesOfOne);
    taken += bytesOfOne;
    count(nowMs(), bytes.readUInt32BE(6) >>> 1);
    bytes.writeUIntBE(latestMs, 0, 6);
    bytes[6] = 0x70 | (counter >>> 27);
    bytes[7] = counter >>> 19;
    bytes[8] = 0x80 | ((counter >>> 13) & 0x3f);
    bytes[9] = counter >>> 5;
    bytes[10] = ((counter & 0x1f) << 3) | (bytes.readUInt8(10) & 0x07);
    return bytes;
  };
}

export const newUuid = uuidSource(
  () => Date.now(),
  (buffer) => void randomFillSync(buffer),
);
