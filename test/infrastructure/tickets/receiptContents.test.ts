import { expect, it } from 'vitest';
import { eticketPdf } from '../../../src/infrastructure/tickets/eticketPdf.ts';
import type {
  ReceiptSegment,
  ReceiptTraveller,
  TicketReceipt,
} from '../../../src/infrastructure/tickets/receipt.ts';
import { pdfWords } from '../../harness/pdfContent.ts';

type Passenger = ReceiptSegment['passengers'][number];

const travellers: ReceiptTraveller[] = [
  {
    id: 'pas_ana',
    type: 'adult',
    givenName: 'Ana Beatriz',
    familyName: 'Souza',
    identityDocument: { type: 'cpf', number: '529.982.247-25', issuingCountry: null, expiresOn: null },
    infantPassengerId: 'pas_tom',
  },
  {
    id: 'pas_leo',
    type: 'child',
    givenName: 'Léo',
    familyName: 'Lima',
    identityDocument: { type: 'passport', number: 'FZ123456', issuingCountry: 'BR', expiresOn: '2031-01-01' },
    infantPassengerId: null,
  },
  {
    id: 'pas_tom',
    type: 'infant_without_seat',
    givenName: 'Tom',
    familyName: 'Souza',
    identityDocument: { type: 'rg', number: '12.345.678-9', issuingCountry: null, expiresOn: null },
    infantPassengerId: null,
  },
];

const bags = (carryOn: number, checked: number): Passenger['baggages'] => [
  { type: 'carry_on', quantity: carryOn },
  { type: 'checked', quantity: checked },
];

const flown = (...cabinsAndBags: [Passenger['cabinClass'], Passenger['baggages']][]): Passenger[] =>
  cabinsAndBags.map(([cabinClass, baggages], index) => ({
    passengerId: travellers[index]!.id,
    cabinClass,
    baggages,
  }));

const [latam, tap, azores] = [
  { iataCode: 'LA', name: 'LATAM Airlines' },
  { iataCode: 'TP', name: 'TAP Air Portugal' },
  { iataCode: 'S4', name: 'Azores Airlines' },
];

/** No two particulars of the same kind are alike. */
const receipt: TicketReceipt = {
  locator: 'QX7K2M',
  carrierReference: null,
  status: 'ticketed',
  bookedAt: new Date('2026-11-20T15:00:00.000Z'),
  issuedAt: new Date('2026-11-22T15:00:00.000Z'),
  agencyName: 'Agência Céu Azul',
  testMode: false,
  link: null,
  travellers,
  // In another order than the travellers.
  tickets: [
    { passengerId: 'pas_tom', uniqueIdentifier: '957-0000000003' },
    { passengerId: 'pas_ana', uniqueIdentifier: '957-0000000001' },
    { passengerId: 'pas_leo', uniqueIdentifier: '957-0000000002' },
  ],
  slices: [
    {
      origin: { iataCode: 'GIG' },
      destination: { iataCode: 'LIS' },
      duration: 'PT14H20M',
      segments: [
        {
          origin: { iataCode: 'GIG', name: 'Galeão International Airport', terminal: '2' },
          destination: { iataCode: 'GRU', name: 'Guarulhos International Airport', terminal: '1' },
          departingAt: '2027-02-22T19:05:00',
          arrivingAt: '2027-02-22T20:10:00',
          duration: 'PT1H5M',
          marketingCarrier: latam,
          marketingCarrierFlightNumber: '4521',
          operatingCarrier: latam,
          aircraft: { name: 'Airbus A320' },
          passengers: flown(
            ['economy', bags(1, 1)],
            ['premium_economy', bags(1, 2)],
            ['economy', bags(0, 1)],
          ),
        },
        {
          origin: { iataCode: 'GRU', name: 'Guarulhos International Airport', terminal: '3' },
          destination: { iataCode: 'LIS', name: 'Humberto Delgado Airport', terminal: null },
          departingAt: '2027-02-23T23:10:00',
          arrivingAt: '2027-02-24T12:25:00',
          duration: 'PT9H45M',
          marketingCarrier: tap,
          marketingCarrierFlightNumber: '88',
          operatingCarrier: azores,
          aircraft: { name: 'Airbus A330-900' },
          passengers: flown(['first', bags(2, 2)], ['first', bags(2, 2)], ['first', bags(2, 2)]),
        },
      ],
    },
    {
      origin: { iataCode: 'OPO' },
      destination: { iataCode: 'FOR' },
      duration: 'PT7H',
      segments: [
        {
          origin: { iataCode: 'OPO', name: 'Francisco de Sá Carneiro Airport', terminal: null },
          destination: { iataCode: 'FOR', name: 'Pinto Martins International Airport', terminal: 'A' },
          departingAt: '2027-03-04T10:00:00',
          arrivingAt: '2027-03-05T14:00:00',
          duration: 'PT6H50M',
          marketingCarrier: tap,
          marketingCarrierFlightNumber: '29',
          operatingCarrier: tap,
          aircraft: { name: 'Airbus A321neo' },
          passengers: flown(['business', bags(1, 3)], ['business', bags(1, 3)], ['business', bags(1, 3)]),
        },
      ],
    },
  ],
  fareBrandName: 'Executive Plus',
  totalCents: 1_234_567n,
  isPaid: true,
  refundCents: 765_432n,
  conditions: {
    refundBeforeDeparture: { allowed: true, penaltyAmount: '350.00', penaltyCurrency: 'EUR' },
    changeBeforeDeparture: { allowed: true, penaltyAmount: '120.00', penaltyCurrency: 'EUR' },
  },
};

/** All that the receipt says, in the order in which it is read. */
const said = `
Recibo de bilhete eletrônico | Agência Céu Azul
LOCALIZADOR | QX7K2M
Situação | Emitido
Reservado em | 20/11/2026
Emitido em | 22/11/2026
Tarifa | Executive Plus
Passageiros
Nº | Passageiro e nome no bilhete | Tipo | Documento | Bilhete
1 | Ana Beatriz Souza | SOUZA/ANA BEATRIZ | Adulto | CPF ********725 | 957-0000000001
2 | Léo Lima | LIMA/LEO | Criança | Passaporte *****456 | 957-0000000002
3 | Tom Souza | SOUZA/TOM | Bebê de colo, com o passageiro 1 | RG ******789 | 957-0000000003
Voos
Trecho 1: Rio de Janeiro (GIG) – Lisboa (LIS) | 14h20, 1 conexão
Voo | LA 4521 | LATAM Airlines
Partida | 19:05 | seg, 22/02/2027 | Rio de Janeiro (GIG) | Aeroporto Internacional Galeão | Terminal 2
Chegada | 20:10 | seg, 22/02/2027 | São Paulo (GRU) | Aeroporto Internacional Guarulhos | Terminal 1
Classe | Econômica (pass. 1, 3), Econômica premium (pass. 2) | Duração | 1h05 | Aeronave | Airbus A320
Bagagem: 1 de mão e 1 despachada (pass. 1); 1 de mão e 2 despachadas (pass. 2); 1 despachada (pass. 3)
Conexão em São Paulo (GRU): 27h de espera
Voo | TP 88 | TAP Air Portugal | Operado por Azores Airlines
Partida | 23:10 | ter, 23/02/2027 | São Paulo (GRU) | Aeroporto Internacional Guarulhos | Terminal 3
Chegada | 12:25 | qua, 24/02/2027 | Lisboa (LIS) | Aeroporto Humberto Delgado
Classe | Primeira classe | Duração | 9h45 | Aeronave | Airbus A330-900
Bagagem: 2 de mão e 2 despachadas por passageiro
Trecho 2: Porto (OPO) – Fortaleza (FOR) | 7h, direto
Voo | TP 29 | TAP Air Portugal
Partida | 10:00 | qui, 04/03/2027 | Porto (OPO) | Aeroporto Francisco de Sá Carneiro
Chegada | 14:00 | sex, 05/03/2027 | Fortaleza (FOR) | Aeroporto Internacional Pinto Martins | Terminal A
Classe | Executiva | Duração | 6h50 | Aeronave | Airbus A321neo
Bagagem: 1 de mão e 3 despachadas por passageiro
Localizador QX7K2M · Agência Céu Azul | Página 1 de 2
Pagamento e condições
Total pago | R$ 12.345,67
Reembolsado | R$ 7.654,32
Reembolso antes da partida | possível, com multa de € 350,00
Alteração antes da partida | possível, com multa de € 120,00
Os horários são os locais de cada aeroporto. Apresente no embarque o documento de identificação original informado na reserva. Este recibo não é cartão de embarque.
Localizador QX7K2M · Agência Céu Azul | Página 2 de 2
`;

const readingOf = async (shown: TicketReceipt) => pdfWords(await eticketPdf(shown));

it('a receipt says each particular once, beside what it belongs to', async () => {
  expect(await readingOf(receipt)).toBe(said.replace(/[|\s]+/g, ' ').trim());
});

it('a receipt of a test booking says so under its title as well', async () => {
  const mark = 'SEM VALOR — AMBIENTE DE TESTE';
  expect(await readingOf({ ...receipt, testMode: true })).toContain(`Agência Céu Azul ${mark} LOCALIZADOR`);
});

it('a receipt counts the connections of a slice', async () => {
  const [slice] = receipt.slices;
  const segments = [...slice!.segments, ...receipt.slices[1]!.segments];
  const reading = await readingOf({ ...receipt, slices: [{ ...slice!, segments }] });
  expect(reading).toContain('Trecho 1: Rio de Janeiro (GIG) – Lisboa (LIS) 14h20, 2 conexões Voo');
});
