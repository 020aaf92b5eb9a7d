import { createCipheriv } from 'node:crypto';

const bitsOfHalf = 15;
const highestHalf = 2 ** bitsOfHalf - 1;
const rounds = 10;
const bytesOfBlock = 16;

/** How many numbers are permuted: those from 0 to one less. */
export const permutedNumbers = 2 ** (2 * bitsOfHalf);

/**
 * Gives each number from 0 to 2^30 - 1 another one of them, always the same with the same key, so that no two share one:
 * without the key, those of consecutive numbers look like drawn from a hat.
 *
 * A balanced Feistel network (Luby & Rackoff, "How to construct pseudorandom permutations from pseudorandom functions",
 * 1988; for small domains Black & Rogaway, "Ciphers with arbitrary finite domains", 2002), with as many rounds as FF1 of
 * NIST SP 800-38G and, as there, AES for the function of a round: here of one block, its number and half a number.
 * @param key 32 bytes, which serve nothing else.
 */
export function permute(numbers: readonly number[], key: Buffer): number[] {
  // ECB is AES itself, block by block: it draws numbers here and hides no text, so it needs no mode.
  const cipher = createCipheriv('aes-256-ecb', key, null);
  let pairs = numbers.map((number) => ({ left: number >>> bitsOfHalf, right: number & highestHalf }));
  for (let round = 0; round < rounds; round += 1) {
    const blocks = Buffer.alloc(pairs.length * bytesOfBlock);
    for (const [index, { right }] of pairs.entries()) {
      blocks.writeUInt8(round, index * bytesOfBlock);
      blocks.writeUInt16BE(right, index * bytesOfBlock + 1);
    }
    const scrambled = cipher.update(blocks);
    pairs = pairs.map(({ left, right }, index) => ({
      left: right,
      right: left ^ (scrambled.readUInt16BE(index * bytesOfBlock) & highestHalf),
    }));
  }
  return pairs.map(({ left, right }) => (left << bitsOfHalf) | right);
}
