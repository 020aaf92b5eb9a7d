import type { SupplierOffer, SupplierSlice } from '../../../src/infrastructure/flights/supplier.ts';
import type {
  ReceiptSlice,
  ReceiptTraveller,
  TicketReceipt,
} from '../../../src/infrastructure/tickets/receipt.ts';
import { offers, type Wanted } from '../flights/simulated/searches.ts';

const names = [
  ['Ana Beatriz', 'Souza'],
  ['João Luís', 'd’Ávila Gonçalves'],
  ['Maria da Conceição', 'Assunção dos Santos'],
  ['Łukasz', 'Żółć-Wiśniewski'],
  ['Nguyễn Thị', 'Đặng'],
  ['Zoë', 'O’Brien'],
  ['Íris', 'Müller'],
  ['Pedro Henrique', 'Albuquerque Cavalcanti'],
  ['Şebnem', 'İnönü'],
] as const;

const documents = [
  { type: 'cpf', number: '529.982.247-25', issuingCountry: null, expiresOn: null },
  { type: 'rg', number: 'MG-12.345.678', issuingCountry: null, expiresOn: null },
  { type: 'passport', number: 'FZ123456', issuingCountry: 'BR', expiresOn: '2031-01-01' },
] as const;

/** Travellers for the passengers of a search, the first infant on the first adult's lap, and so on. */
export function travellersFor(types: readonly ReceiptTraveller['type'][]): ReceiptTraveller[] {
  const infants = types.flatMap((type, index) => (type === 'infant_without_seat' ? [`pas_${index}`] : []));
  return types.map((type, index) => ({
    id: `pas_${index}`,
    type,
    givenName: names[index]![0],
    familyName: names[index]![1],
    identityDocument: documents[index % documents.length]!,
    infantPassengerId: type === 'adult' ? (infants.shift() ?? null) : null,
  }));
}

const isoDuration = (minutes: number) => `PT${Math.floor(minutes / 60)}H${minutes % 60}M`;

const sliceOf = ({ origin, destination, durationMinutes, segments }: SupplierSlice): ReceiptSlice => ({
  origin,
  destination,
  duration: isoDuration(durationMinutes),
  segments: segments.map(({ flight, passengers }) => ({
    ...flight,
    origin: { ...flight.origin, terminal: flight.originTerminal },
    destination: { ...flight.destination, terminal: flight.destinationTerminal },
    duration: isoDuration(flight.durationMinutes),
    marketingCarrierFlightNumber: flight.marketingFlightNumber,
    passengers: passengers.map((passenger, index) => ({ ...passenger, passengerId: `pas_${index}` })),
  })),
});

/** The receipt of the first offer for a search that `isWanted`. */
export async function receiptFor(
  wanted: Wanted,
  change: Partial<TicketReceipt> = {},
  isWanted: (offer: SupplierOffer) => boolean = () => true,
): Promise<TicketReceipt> {
  const offer = (await offers(wanted)).find(isWanted)!;
  const types = wanted.passengers ?? ['adult'];
  const currency = offer.currency;
  return {
    locator: 'QX7K2M',
    carrierReference: null,
    status: 'ticketed',
    bookedAt: new Date('2026-11-20T15:00:00.000Z'),
    issuedAt: new Date('2026-11-20T15:00:02.000Z'),
    agencyName: 'Agência Céu Azul Turismo',
    testMode: false,
    link: 'https://api.example.com/etickets/ord_01kaemx5j2fz5s2c1z9d3v0b7q/3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc.pdf',
    travellers: travellersFor(types),
    tickets: types.map((_type, index) => ({
      passengerId: `pas_${index}`,
      uniqueIdentifier: `047-${9_081_726_350 + index}`,
    })),
    slices: offer.slices.map(sliceOf),
    fareBrandName: offer.fareBrandName,
    totalCents: 1_234_567n,
    isPaid: true,
    refundCents: null,
    conditions: {
      refundBeforeDeparture: { ...offer.conditions.refundBeforeDeparture, penaltyCurrency: currency },
      changeBeforeDeparture: { ...offer.conditions.changeBeforeDeparture, penaltyCurrency: currency },
    },
    ...change,
  };
}

/** Receipts of the kinds that there are, from the shortest to the longest. */
export const receipts: Readonly<Record<string, () => Promise<TicketReceipt>>> = {
  oneWay: () => receiptFor({ slices: ['GRU-LIS 2027-01-10'] }),
  family: () =>
    receiptFor(
      {
        slices: ['CWB-MAD 2027-01-10', 'MAD-CWB 2027-01-25'],
        passengers: ['adult', 'adult', 'child', 'infant_without_seat'],
      },
      { carrierReference: 'WWMWWM' },
      ({ slices }) => slices.every(({ segments }) => segments.length > 1),
    ),
  group: () =>
    receiptFor(
      {
        slices: [
          'FOR-LIS 2027-01-10',
          'LIS-PAR 2027-01-14',
          'PAR-ROM 2027-01-18',
          'ROM-IST 2027-01-21',
          'IST-LON 2027-01-25',
          'LON-FOR 2027-01-29',
        ],
        passengers: [
          ...new Array(4).fill('adult'),
          'child',
          'child',
          ...new Array(3).fill('infant_without_seat'),
        ],
      },
      { testMode: true },
    ),
  longNames: async () => {
    const receipt = await receiptFor(
      { slices: ['GRU-GIG 2027-01-10'], passengers: ['adult', 'adult', 'infant_without_seat'] },
      {
        status: 'cancelled',
        refundCents: 1_000_000n,
        link: null,
        carrierReference: 'W'.repeat(100),
        agencyName: `Viagens ${'Conceição & Irmãos '.repeat(6)}Ltda`,
      },
    );
    const [first, second, third] = receipt.travellers;
    return {
      ...receipt,
      travellers: [
        {
          ...first!,
          givenName: 'Maria Antônia Conceição Aparecida das Graças de Nossa Senhora Ã',
          familyName: 'Cavalcanti de Albuquerque Gonçalves Guimarães de Assunção Ção',
        },
        { ...second!, givenName: 'Ç'.repeat(60), familyName: 'Õ'.repeat(60) },
        third!,
      ],
    };
  },
};
