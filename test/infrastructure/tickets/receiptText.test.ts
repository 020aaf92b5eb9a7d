import { describe, expect, it } from 'vitest';
import { airportText, placeText } from '../../../src/infrastructure/tickets/placeNames.ts';
import type { ReceiptSegment } from '../../../src/infrastructure/tickets/receipt.ts';
import {
  bagsText,
  cabinText,
  conditionText,
  connectionText,
  dayText,
  durationText,
  maskedDocument,
} from '../../../src/infrastructure/tickets/receiptText.ts';
import { receiptFor, travellersFor } from './receipts.ts';

const bags = (carryOn: number, checked: number) => [
  { type: 'carry_on' as const, quantity: carryOn },
  { type: 'checked' as const, quantity: checked },
];

describe('receipts say', () => {
  it.each([
    ['PT9H30M', '9h30'],
    ['PT10H5M', '10h05'],
    ['PT10H', '10h'],
    ['PT45M', '45min'],
    ['PT26H10M', '26h10'],
  ])('%s as %s', (duration, text) => {
    expect(durationText(duration)).toBe(text);
  });

  it.each([
    ['2027-01-10T23:05:00', 'dom, 10/01/2027'],
    ['2028-02-29T00:00:00', 'ter, 29/02/2028'],
    ['2027-01-16T12:00:00', 'sáb, 16/01/2027'],
  ])('%s as %s', (local, text) => {
    expect(dayText(local)).toBe(text);
  });

  it.each([
    ['cpf', '529.982.247-25', 'CPF ********725'],
    ['rg', 'MG-12.345.678', 'RG *******678'],
    ['rg', '12345-X', 'RG ***45X'],
    ['passport', 'AB123', 'Passaporte **123'],
  ] as const)('%s %s as %s', (type, number, text) => {
    const [traveller] = travellersFor(['adult']);
    const identityDocument = { type, number, issuingCountry: null, expiresOn: null };
    expect(maskedDocument({ ...traveller!, identityDocument })).toBe(text);
  });

  it.each([
    [false, null, null, 'não é possível'],
    [true, null, null, 'possível, com multa conforme a tarifa'],
    [true, '0.00', 'USD', 'possível, sem multa'],
    [true, '1234.50', 'USD', 'possível, com multa de US$ 1.234,50'],
    [true, '0.50', 'BRL', 'possível, com multa de R$ 0,50'],
    [true, '150.00', 'EUR', 'possível, com multa de € 150,00'],
    [true, '150.00', 'GBP', 'possível, com multa de GBP 150,00'],
  ])('a condition (%s, %s %s) as %s', (allowed, penaltyAmount, penaltyCurrency, text) => {
    expect(conditionText({ allowed, penaltyAmount, penaltyCurrency })).toBe(text);
  });

  it.each([
    ['GRU', 'São Paulo (GRU)'],
    ['LHR', 'Londres (LHR)'],
    ['GUA', 'Cidade da Guatemala (GUA)'],
    ['QQQ', 'QQQ'],
  ])('%s as %s', (iataCode, text) => {
    expect(placeText(iataCode)).toBe(text);
  });

  it.each([
    ['Rio de Janeiro-Galeão International Airport', 'Aeroporto Internacional Rio de Janeiro-Galeão'],
    ['Istanbul Airport', 'Aeroporto Istanbul'],
    [
      'Salvador International Airport, Deputado Luís Eduardo Magalhães',
      'Aeroporto Internacional Salvador, Deputado Luís Eduardo Magalhães',
    ],
    ['Londrina Aeroporto', 'Aeroporto Londrina'],
    ['Mendoza Aerodrome', 'Aeroporto Mendoza'],
    ['Santos Dumont', 'Santos Dumont'],
  ])('%s as %s', (name, text) => {
    expect(airportText(name)).toBe(text);
  });

  describe('of a flight', async () => {
    const types = ['adult', 'adult', 'infant_without_seat'] as const;
    const { slices } = await receiptFor({ slices: ['GRU-GIG 2027-01-10'], passengers: types });
    const segment = slices[0]!.segments[0]!;
    const travellers = travellersFor(types);
    const withPassengers = (
      ...given: [bags: [number, number], cabin: 'economy' | 'business'][]
    ): ReceiptSegment => ({
      ...segment,
      passengers: given.map(([[carryOn, checked], cabinClass], index) => ({
        passengerId: `pas_${index}`,
        cabinClass,
        baggages: bags(carryOn, checked),
      })),
    });

    it('what everybody has, once', () => {
      const same = withPassengers([[1, 2], 'economy'], [[1, 2], 'economy'], [[1, 2], 'economy']);
      expect(bagsText(same, travellers)).toBe('1 de mão e 2 despachadas por passageiro');
      expect(cabinText(same, travellers)).toBe('Econômica');
      expect(bagsText(same, travellers.slice(0, 1))).toBe('1 de mão e 2 despachadas');
    });

    it('else what each has, by number', () => {
      const mixed = withPassengers([[1, 1], 'business'], [[0, 0], 'economy'], [[1, 1], 'economy']);
      expect(bagsText(mixed, travellers)).toBe(
        '1 de mão e 1 despachada (pass. 1, 3); sem franquia (pass. 2)',
      );
      expect(cabinText(mixed, travellers)).toBe('Executiva (pass. 1), Econômica (pass. 2, 3)');
    });

    it('where it connects, and for how long', () => {
      const next = { ...segment, origin: segment.destination, departingAt: '2027-01-11T00:05:00' };
      const before = { ...segment, arrivingAt: '2027-01-10T21:55:00' };
      expect(connectionText(before, next)).toBe('Conexão em Rio de Janeiro (GIG): 2h10 de espera');
      expect(connectionText(before, { ...next, origin: { ...next.origin, iataCode: 'SDU' } })).toBe(
        'Conexão com troca de aeroporto, de Rio de Janeiro (GIG) para Rio de Janeiro (SDU): 2h10',
      );
    });
  });
});
