import type { PostalAddress } from '../../../src/infrastructure/payments/provider.ts';

/** What stands on the boleto of these tests. */

export const testMark = 'SEM VALOR — AMBIENTE DE TESTE';

export const labels = [
  'Local de pagamento',
  'Vencimento',
  'Beneficiário',
  'Agência / Código do beneficiário',
  'Data do documento',
  'Nº do documento',
  'Espécie doc.',
  'Aceite',
  'Data do processamento',
  'Nosso número',
  'Carteira',
  'Espécie',
  'Quantidade',
  '(=) Valor do documento',
  'Instruções (texto de responsabilidade do beneficiário)',
  '(-) Desconto / Abatimento',
  '(+) Mora / Multa',
  '(=) Valor cobrado',
  'Pagador',
];
export const values = [
  '104-0',
  'RECIBO DO PAGADOR',
  'Agência Céu Azul Turismo',
  'Embarque Viagens Ltda — CNPJ 12.345.678/0001-95',
  '4321/654321-9',
  'RG',
  'OU',
  'N',
  'Pagável em qualquer banco, lotérica ou internet banking até o vencimento',
  'Sr. Caixa: não receber após o vencimento.',
  '19/11/2026',
  '25/11/2026',
  'R$ 1.234,56',
  'rch_01kaemx5j2fz5s2c1z9d3v0b7q',
];

export const address: PostalAddress = {
  street: 'Rua da Praia',
  number: '1000',
  complement: 'conj. 12',
  district: 'Centro',
  city: 'Porto Alegre',
  state: 'RS',
  postalCode: '90010000',
};
