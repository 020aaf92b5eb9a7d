import { expect, it } from 'vitest';
import { someSlip } from './charges.ts';

it('a boleto is dated by the day on which it was made, and due on another, both in São Paulo', async () => {
  const { receiptRows, slipRows } = await someSlip({ createdAt: new Date('2026-11-20T02:59:59.000Z') });
  const [onReceipt, onSlip] = [receiptRows, slipRows].map((rows) =>
    Object.fromEntries(
      rows
        .flat()
        .filter(({ label }) => /^(Data|Vencimento)/.test(label))
        .map(({ label, lines }) => [label, lines.join()]),
    ),
  );
  const dates = { 'Data do documento': '19/11/2026', Vencimento: '25/11/2026' };
  expect(onReceipt).toEqual(dates);
  expect(onSlip).toEqual({ ...dates, 'Data do processamento': '19/11/2026' });
});
