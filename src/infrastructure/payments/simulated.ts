import { boletoBarcode, digitableLine } from './boleto.ts';
import { caixaAgencyAndCode, caixaBankCode, caixaNumbers, caixaSequenceDigits } from './caixaNumber.ts';
import { boletoSequence, pixTransactionId } from './chargeNumber.ts';
import { pixCode } from './pixCode.ts';
import type { ChargeArtefacts, ChargeRequest, PaymentProvider } from './provider.ts';

/** An invented agency: the key is registered nowhere, the CNPJ is the textbooks' example. */
const merchant = {
  /** Shown by bank apps as the receiver, and printed on boletos. */
  name: 'Embarque Viagens Ltda',
  city: 'São Paulo',
  taxId: '12345678000195',
  address: 'Av. Paulista, 1000 — Bela Vista — São Paulo/SP — CEP 01310-100',
  pixKey: '5a0c6d2e-7f41-4b3a-9c8d-1e2f3a4b5c6d',
  agency: '4321',
  beneficiaryCode: '654321',
};

/** Whoever reads a test code in a bank app sees this in place of the merchant. */
const testMerchantName = 'TESTE SEM VALOR';

/**
 * A provider that calls nobody: its codes and boletos are well formed, are a function of the recharge alone, and are
 * registered with no bank, so nobody's money can follow them. Boletos have Caixa Econômica Federal's SIGCB layout.
 */
export function simulatedPaymentProvider(): PaymentProvider {
  return {
    name: 'simulated',
    methods: ['pix', 'boleto'],
    boletoIssuer: {
      bankCode: caixaBankCode,
      bankName: 'CAIXA',
      beneficiaryName: merchant.name,
      beneficiaryTaxId: merchant.taxId,
      beneficiaryAddress: merchant.address,
      agencyAndCode: caixaAgencyAndCode(merchant.agency, merchant.beneficiaryCode),
      portfolio: 'RG',
      paymentPlace: 'Pagável em qualquer banco, lotérica ou internet banking até o vencimento',
      instructions: [
        'Sr. Caixa: não receber após o vencimento.',
        'Não receber valor diferente do valor do documento.',
        'Não conceder descontos nem cobrar acréscimos.',
        'Cobrança emitida por provedor de pagamento simulado, sem registro bancário.',
      ],
    },
    createCharge: async (request) => charge(request),
  };
}

function charge(request: ChargeRequest): ChargeArtefacts {
  if (request.method === 'pix') {
    const pixCopyPaste = pixCode({
      key: merchant.pixKey,
      merchantName: request.mode === 'test' ? testMerchantName : merchant.name,
      merchantCity: merchant.city,
      amountCents: request.amountCents,
      transactionId: pixTransactionId(request.rechargeId),
    });
    return { method: 'pix', pixCopyPaste };
  }
  const sequence = boletoSequence(request.rechargeId, caixaSequenceDigits);
  const { ourNumber, freeField } = caixaNumbers(merchant.beneficiaryCode, sequence);
  const barcode = boletoBarcode({
    bankCode: caixaBankCode,
    dueAt: request.expiresAt,
    amountCents: request.amountCents,
    freeField,
  });
  return { method: 'boleto', barcode, digitableLine: digitableLine(barcode), ourNumber };
}
