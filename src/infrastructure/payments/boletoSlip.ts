import {
  formatBrazilianDate,
  formatCep,
  formatCnpj,
  formatCpfInPart,
  formatReais,
  testMark,
} from '../text/brazilianText.ts';
import { formatBankCode, formatDigitableLine } from './boleto.ts';
import type { BoletoIssuer, Payer, PostalAddress } from './provider.ts';

/** A boleto's words and boxes, the same for page and PDF. */
export interface BoletoSlip {
  rechargeId: string;
  createdAt: Date;
  bankName: string;
  /** "104-0" */
  bankCode: string;
  /** 44 digits. */
  barcode: string;
  /** As printed, with dots and blanks. */
  digitableLine: string;
  amount: string;
  dueDate: string;
  /** Only a payable one invites its reader to copy the line. */
  state: 'payable' | 'paid' | 'ended';
  /** "SEM VALOR…" in test mode. */
  testMark: string | null;
  /** What has become of it; null while it is payable. */
  stateMark: string | null;
  receiptRows: readonly (readonly SlipBox[])[];
  slipRows: readonly (readonly SlipBox[])[];
  instructions: SlipBox;
  /** The boxes at the right of the instructions, from top to bottom. */
  adjustments: readonly SlipBox[];
  payer: SlipBox;
}

/** Widths in use; a row's boxes add up to the slip's 180 mm. */
export const boxWidthsMm = [15, 20, 25, 30, 45, 60, 90, 135, 180] as const;

export interface SlipBox {
  label: string;
  lines: readonly string[];
  widthMm: (typeof boxWidthsMm)[number];
  /** Dates of payment, numbers and amounts stand at the right, as banks print them. */
  alignRight?: boolean;
  strong?: boolean;
}

export interface BoletoCharge {
  rechargeId: string;
  mode: 'live' | 'test';
  status: 'pending' | 'completed' | 'expired' | 'failed' | 'cancelled';
  amountCents: bigint;
  payer: Payer;
  createdAt: Date;
  expiresAt: Date;
  paidAt: Date | null;
  barcode: string;
  /** 47 digits. */
  digitableLine: string;
  ourNumber: string;
}

function stateOf({ status }: BoletoCharge): BoletoSlip['state'] {
  if (status === 'pending') return 'payable';
  return status === 'completed' ? 'paid' : 'ended';
}

function stateMarkOf({ status, mode, expiresAt, paidAt }: BoletoCharge): string | null {
  switch (status) {
    case 'pending':
      return null;
    case 'completed':
      return paidAt ? `PAGO EM ${formatBrazilianDate(paidAt)}` : 'PAGO';
    case 'expired':
      // In the sandbox whoever wants lets it expire before its time.
      return mode === 'test'
        ? 'VENCIDO — NÃO PAGUE'
        : `VENCIDO EM ${formatBrazilianDate(expiresAt)} — NÃO PAGUE`;
    case 'cancelled':
      return 'CANCELADO — NÃO PAGUE';
    case 'failed':
      return 'COBRANÇA RECUSADA — NÃO PAGUE';
  }
}

function box(label: string, value: string, widthMm: SlipBox['widthMm']): SlipBox {
  return { label, lines: [value], widthMm };
}

function numberBox(label: string, value: string, widthMm: SlipBox['widthMm'], strong = false): SlipBox {
  return { label, lines: [value], widthMm, alignRight: true, strong };
}

/** "Av. Paulista, 1000, conj. 12 — Bela Vista — São Paulo/SP — CEP 01310-100" */
function addressText({ street, number, complement, district, city, state, postalCode }: PostalAddress) {
  const line = [street, number, ...(complement ? [complement] : [])].join(', ');
  return [line, district, `${city}/${state}`, `CEP ${formatCep(postalCode)}`].join(' — ');
}

const cpfLength = 11;

/**
 * Whoever has the link has no key, and its id stands in events and logs: of a company the boleto shows what is in the public
 * register, of a person neither the whole number nor the address.
 */
function publicParticulars({ taxId, address }: Payer): string[] {
  if (taxId === null) return [];
  if (taxId.length === cpfLength) return [`CPF ${formatCpfInPart(taxId)}`];
  return [`CNPJ ${formatCnpj(taxId)}`, ...(address ? [addressText(address)] : [])];
}

const payerOnReceipt = (payer: Payer) => [payer.name, ...publicParticulars(payer).slice(0, 1)];

/** Two lines at most: more would push the bars to the edge of the sheet. */
function payerOnSlip(payer: Payer): string[] {
  const [taxId, ...address] = publicParticulars(payer);
  return [taxId ? `${payer.name} — ${taxId}` : payer.name, ...address];
}

/** The boxes that receipt and slip share. */
function sharedBoxes(charge: BoletoCharge, issuer: BoletoIssuer) {
  const taxId = formatCnpj(issuer.beneficiaryTaxId);
  return {
    beneficiary: {
      label: 'Beneficiário',
      lines: [`${issuer.beneficiaryName} — CNPJ ${taxId}`, issuer.beneficiaryAddress],
      widthMm: 135,
    } satisfies SlipBox,
    agencyAndCode: numberBox('Agência / Código do beneficiário', issuer.agencyAndCode, 45),
    ourNumber: numberBox('Nosso número', charge.ourNumber, 45),
    dueDate: numberBox('Vencimento', formatBrazilianDate(charge.expiresAt), 45, true),
    amount: numberBox('(=) Valor do documento', formatReais(charge.amountCents), 45, true),
  };
}

function receiptRows(charge: BoletoCharge, issuer: BoletoIssuer): SlipBox[][] {
  const shared = sharedBoxes(charge, issuer);
  return [
    [shared.beneficiary, shared.agencyAndCode],
    [
      { label: 'Pagador', lines: payerOnReceipt(charge.payer), widthMm: 90 },
      shared.ourNumber,
      shared.dueDate,
    ],
    [
      box('Nº do documento', charge.rechargeId, 60),
      box('Data do documento', formatBrazilianDate(charge.createdAt), 25),
      box('Carteira', issuer.portfolio, 25),
      box('Espécie', 'R$', 25),
      shared.amount,
    ],
    [
      {
        label: 'Demonstrativo',
        lines: [
          'Recarga da carteira pré-paga.',
          'O saldo é creditado após a compensação do pagamento, em 1 a 3 dias úteis.',
        ],
        widthMm: 135,
      },
      numberBox('(=) Valor pago', '', 45),
    ],
  ];
}

function slipRows(charge: BoletoCharge, issuer: BoletoIssuer): SlipBox[][] {
  const shared = sharedBoxes(charge, issuer);
  const createdOn = formatBrazilianDate(charge.createdAt);
  return [
    [box('Local de pagamento', issuer.paymentPlace, 135), shared.dueDate],
    [shared.beneficiary, shared.agencyAndCode],
    [
      box('Data do documento', createdOn, 20),
      box('Nº do documento', charge.rechargeId, 60),
      box('Espécie doc.', 'OU', 15),
      box('Aceite', 'N', 15),
      box('Data do processamento', createdOn, 25),
      shared.ourNumber,
    ],
    [
      box('Uso do banco', '', 25),
      box('Carteira', issuer.portfolio, 25),
      box('Espécie', 'R$', 25),
      box('Quantidade', '', 30),
      box('(x) Valor', '', 30),
      shared.amount,
    ],
  ];
}

const adjustmentLabels = [
  '(-) Desconto / Abatimento',
  '(-) Outras deduções',
  '(+) Mora / Multa',
  '(+) Outros acréscimos',
  '(=) Valor cobrado',
];

/** Everything that is printed on a boleto, worded and formatted for Brazil. */
export function boletoSlip(charge: BoletoCharge, issuer: BoletoIssuer): BoletoSlip {
  return {
    rechargeId: charge.rechargeId,
    createdAt: charge.createdAt,
    bankName: issuer.bankName,
    bankCode: formatBankCode(issuer.bankCode),
    barcode: charge.barcode,
    digitableLine: formatDigitableLine(charge.digitableLine),
    amount: formatReais(charge.amountCents),
    dueDate: formatBrazilianDate(charge.expiresAt),
    state: stateOf(charge),
    testMark: charge.mode === 'test' ? testMark : null,
    stateMark: stateMarkOf(charge),
    receiptRows: receiptRows(charge, issuer),
    slipRows: slipRows(charge, issuer),
    instructions: {
      label: 'Instruções (texto de responsabilidade do beneficiário)',
      lines: issuer.instructions,
      widthMm: 135,
    },
    adjustments: adjustmentLabels.map((label) => numberBox(label, '', 45)),
    payer: { label: 'Pagador', lines: [...payerOnSlip(charge.payer), 'Sacador / Avalista:'], widthMm: 180 },
  };
}
