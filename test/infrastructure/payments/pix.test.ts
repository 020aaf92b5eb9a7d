import fc from 'fast-check';
import { hasError, isStaticPix, parsePix } from 'pix-utils';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { pixTransactionId } from '../../../src/infrastructure/payments/chargeNumber.ts';
import { pixCode } from '../../../src/infrastructure/payments/pixCode.ts';
import { pixQrCode } from '../../../src/infrastructure/payments/pixQrCode.ts';
import { readQrCode } from '../../harness/qrCode.ts';
import { pixCharge } from './charges.ts';

const rechargeAmounts = fc.bigInt({ min: 10_000n, max: 5_000_000n });
const rechargeIds = fc.uuid().map((uuid) => `rch_${uuid}`);

/** CRC-16/CCITT-FALSE, bit by bit, as in the Central Bank's manual. */
function crcOf(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1)
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

function parsed(code: string) {
  const pix = parsePix(code);
  if (hasError(pix) || !isStaticPix(pix)) throw new Error(`Not a static BR Code: ${code}`);
  return pix;
}

describe('the BR Code of a recharge', () => {
  it('is understood by an independent parser, for any amount and id', async () => {
    await fc.assert(
      fc.asyncProperty(rechargeAmounts, rechargeIds, async (amountCents, rechargeId) => {
        const { pixCopyPaste } = await pixCharge({ amountCents, rechargeId });
        const pix = parsed(pixCopyPaste);
        expect(pix.transactionAmount).toBe(Number(amountCents) / 100);
        expect(pix.txid).toBe(pixTransactionId(rechargeId));
        expect(pix).toMatchObject({ merchantName: 'Embarque Viagens Ltda', merchantCity: 'Sao Paulo' });
        expect(pixCopyPaste.slice(-4)).toBe(crcOf(pixCopyPaste.slice(0, -4)));
      }),
      {
        examples: [
          [10_000n, 'rch_a'],
          [5_000_000n, 'rch_b'],
        ],
      },
    );
  });

  it('writes amounts with two decimals', async () => {
    expect((await pixCharge({ amountCents: 10_000n })).pixCopyPaste).toContain('5406100.00');
    expect((await pixCharge({ amountCents: 5_000_000n })).pixCopyPaste).toContain('540850000.00');
    expect((await pixCharge({ amountCents: 999_999_999_999n })).pixCopyPaste).toContain('54139999999999.99');
    expect((await pixCharge({ amountCents: 12_305n })).pixCopyPaste).toContain('5406123.05');
  });

  it('shows a payer in test mode that it is worth nothing', async () => {
    expect(parsed((await pixCharge({ mode: 'test' })).pixCopyPaste).merchantName).toBe('TESTE SEM VALOR');
  });

  it('folds and cuts what a merchant is called', () => {
    const code = pixCode({
      key: '5a0c6d2e-7f41-4b3a-9c8d-1e2f3a4b5c6d',
      merchantName: 'Associação das Agências de Viagens do Sertão',
      merchantCity: 'São José do Rio Preto',
      amountCents: 10_000n,
      transactionId: 'A1',
    });
    expect(parsed(code)).toMatchObject({
      merchantName: 'Associacao das Agencias d',
      merchantCity: 'Sao Jose do Rio',
    });
  });

  it.each([
    { amountCents: 0n },
    { amountCents: -100n },
    { amountCents: 1_000_000_000_000n },
    { amountCents: 9_007_199_254_740_993n },
    { transactionId: 'ABC-1' },
    { transactionId: 'A'.repeat(26) },
    { key: 'nobody' },
  ])('is refused for %o', (changes) => {
    const fields = {
      key: '5a0c6d2e-7f41-4b3a-9c8d-1e2f3a4b5c6d',
      merchantName: 'Embarque',
      merchantCity: 'Recife',
      amountCents: 10_000n,
      transactionId: 'A1',
    };
    expect(() => pixCode({ ...fields, ...changes })).toThrow(RangeError);
  });
});

describe('pixTransactionId', () => {
  it('is 25 letters and digits, different for each recharge', () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => pixTransactionId(`rch_${index}`));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^[A-Z0-9]{25}$/.test(id))).toBe(true);
    // Half of the characters tell so many apart: none is there to fill up.
    expect(new Set(ids.map((id) => id.slice(0, 12))).size).toBe(ids.length);
    expect(new Set(ids.map((id) => id.slice(-12))).size).toBe(ids.length);
  });
});

describe('pixQrCode', () => {
  it('is a PNG that reads back as the code', async () => {
    await fc.assert(
      fc.asyncProperty(rechargeAmounts, rechargeIds, async (amountCents, rechargeId) => {
        const { pixCopyPaste } = await pixCharge({ amountCents, rechargeId });
        expect(readQrCode(await pixQrCode(pixCopyPaste))).toBe(pixCopyPaste);
      }),
      { numRuns: 10 },
    );
  });

  it('has a quiet zone of four modules and modules of eight pixels', async () => {
    const { data, width, height } = PNG.sync.read(await pixQrCode((await pixCharge()).pixCopyPaste));
    const isDark = (x: number, y: number) => (data[(y * width + x) * 4] ?? 255) < 128;
    expect(width).toBe(height);
    expect(width % 8).toBe(0);
    const dark: [number, number][] = [];
    for (let y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1) if (isDark(x, y)) dark.push([x, y]);
    expect(Math.min(...dark.map(([x]) => x))).toBe(32);
    expect(Math.min(...dark.map(([, y]) => y))).toBe(32);
    expect(Math.max(...dark.map(([x]) => x))).toBe(width - 33);
    expect(Math.max(...dark.map(([, y]) => y))).toBe(height - 33);
  });
});
