import { describe, expect, it } from 'vitest';
import { checkedIn, contracts, writeContracts } from './contracts.ts';

// `npm run contracts` sets this: it rewrites all of them, to be read in the diff before they are committed.
if (process.env.WRITE_CONTRACTS === 'true') await writeContracts();

describe('checked-in contracts', () => {
  for (const [path, text] of contracts()) {
    it(`${path} is what the code says (npm run contracts rewrites it)`, async () => {
      expect(text).toBe(await checkedIn(path));
    });
  }
});
