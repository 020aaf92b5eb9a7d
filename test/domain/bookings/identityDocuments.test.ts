import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTravellers, type TravellerInput } from '../../../src/domain/bookings/travellers.ts';
import {
  abroad,
  cpfOf,
  domestic,
  faultsOf,
  faultsWith,
  now,
  offerOf,
  passport,
  traveller,
} from './travellerInputs.ts';

describe('identity documents', () => {
  type Document = TravellerInput['identity_document'];
  const withDocument = (identity_document: Document, flights = domestic) =>
    faultsWith({ identity_document }, flights).map(([field, type]) => [
      field.replace('passengers.0.identity_document.', ''),
      type,
    ]);

  it.each<Document>([
    { type: 'cpf', number: '52998224725' },
    { type: 'cpf', number: '529.982.247-25', issuing_country: 'BR', expires_on: null },
    { type: 'rg', number: '12345' },
    { type: 'rg', number: '12.345.678-X' },
    { type: 'rg', number: 'MG-12.345.678' },
    { type: 'rg', number: '12345678901234', expires_on: '2027-01-10' },
    { type: 'passport', number: 'AB123', issuing_country: 'PT', expires_on: '2027-01-10' },
    { type: 'passport', number: '12345678901234567890', issuing_country: 'US', expires_on: '2099-12-31' },
  ])('%j will do within Brazil', (document) => {
    expect(withDocument(document)).toEqual([]);
  });

  it.each<[Document, string[]]>([
    [{ type: 'cpf', number: '' }, ['number', 'required']],
    [{ type: 'cpf', number: '52998224724' }, ['number', 'invalid']],
    [{ type: 'cpf', number: '11111111111' }, ['number', 'invalid']],
    [{ type: 'cpf', number: '5299822472' }, ['number', 'invalid']],
    [{ type: 'cpf', number: '529-982-247.25' }, ['number', 'invalid']],
    [{ type: 'cpf', number: '52998224725', issuing_country: 'PT' }, ['issuing_country', 'invalid']],
    [{ type: 'rg', number: '1234' }, ['number', 'invalid']],
    [{ type: 'rg', number: '123456789012345' }, ['number', 'invalid']],
    [{ type: 'rg', number: 'ABCDEF' }, ['number', 'invalid']],
    [{ type: 'rg', number: '12345;' }, ['number', 'invalid']],
    [{ type: 'rg', number: '12345678', issuing_country: 'AR' }, ['issuing_country', 'invalid']],
    [{ type: 'rg', number: '12345678', expires_on: '2027-01-09' }, ['expires_on', 'expired']],
    [{ ...passport, number: 'AB12' }, ['number', 'invalid']],
    [{ ...passport, number: 'AB-123456' }, ['number', 'invalid']],
    [{ ...passport, number: '123456789012345678901' }, ['number', 'invalid']],
    [{ ...passport, issuing_country: null }, ['issuing_country', 'required']],
    [{ ...passport, issuing_country: 'XX' }, ['issuing_country', 'invalid']],
    [{ ...passport, issuing_country: 'UK' }, ['issuing_country', 'invalid']],
    [{ ...passport, issuing_country: 'br' }, ['issuing_country', 'invalid']],
    [{ ...passport, issuing_country: 'BRA' }, ['issuing_country', 'invalid']],
    [{ ...passport, expires_on: null }, ['expires_on', 'required']],
    [{ ...passport, expires_on: '2027-01-09' }, ['expires_on', 'expired']],
  ])('%j is refused', (document, fault) => {
    expect(withDocument(document)).toEqual([fault]);
  });

  it('must not expire before the last arrival', () => {
    expect(withDocument({ ...passport, expires_on: '2027-01-20' }, abroad)).toEqual([]);
    expect(withDocument({ ...passport, expires_on: '2027-01-19' }, abroad)).toEqual([
      ['expires_on', 'expired'],
    ]);
    const night = ['LIS-GRU 2027-01-20 2027-01-21'];
    expect(withDocument({ ...passport, expires_on: '2027-01-20' }, night)).toEqual([
      ['expires_on', 'expired'],
    ]);
  });

  it('must not expire before the latest day on which a flight arrives, be that one not the last', () => {
    const overTheDateLine = ['SYD-AKL 2027-01-13', 'AKL-HNL 2027-01-13 2027-01-12'];
    expect(withDocument({ ...passport, expires_on: '2027-01-12' }, overTheDateLine)).toEqual([
      ['expires_on', 'expired'],
    ]);
  });

  it('of Brazil have no issuing country, said or not', () => {
    const identity_document = { type: 'rg', number: '12345678', issuing_country: 'BR' } as const;
    const [read] = readTravellers(
      [traveller(0, 'adult', { identity_document })],
      offerOf(domestic, ['adult']),
      now,
    );
    expect(read!.identityDocument.issuingCountry).toBeNull();
  });

  const cpf = { type: 'cpf', number: '52998224725' } as const;
  const rg = { type: 'rg', number: '12345678' } as const;
  it.each<[string[], Document, string | null]>([
    [['GRU-GIG 2027-01-10'], cpf, null],
    [['GRU-EZE 2027-01-10'], cpf, 'rg_or_passport_required'],
    [['GRU-EZE 2027-01-10'], rg, null],
    [['GRU-EZE 2027-01-10'], passport, null],
    [['BOG-LIM 2027-01-10'], rg, null],
    [['GRU-GIG 2027-01-10', 'GIG-SCL 2027-01-12'], cpf, 'rg_or_passport_required'],
    [['GRU-PBM 2027-01-10'], rg, 'passport_required'],
    [['BEL-CAY 2027-01-10'], rg, 'passport_required'],
    [['GRU-LIS 2027-01-10'], rg, 'passport_required'],
    [['GRU-LIS 2027-01-10'], cpf, 'passport_required'],
    [['GRU-LIS 2027-01-10'], passport, null],
    [['GRU-EZE 2027-01-10', 'EZE-MIA 2027-01-12'], rg, 'passport_required'],
    [['JFK-LAX 2027-01-10'], rg, 'passport_required'],
    [['LIS-GRU 2027-01-10'], rg, 'passport_required'],
    [['GRU-QQQ 2027-01-10'], rg, 'passport_required'],
  ])('on %j, %j: %s', (flights, document, type) => {
    expect(withDocument(document, flights)).toEqual(type ? [['type', type]] : []);
  });

  it('are those of every stop: a change of planes in Panama takes a passport', () => {
    const faults = faultsOf(
      [traveller(0, 'adult', { identity_document: rg })],
      ['adult'],
      [['GRU-PTY 2027-01-10', 'PTY-BOG 2027-01-10']],
    );
    expect(faults).toEqual([['passengers.0.identity_document.type', 'passport_required']]);
  });

  it.each<[string, Document, Document, boolean]>([
    ['the same CPF', { type: 'cpf', number: '52998224725' }, { type: 'cpf', number: '529.982.247-25' }, true],
    ['the same RG', { type: 'rg', number: 'mg-12.345.678' }, { type: 'rg', number: 'MG 12345678' }, true],
    ['the same passport', passport, { ...passport, number: 'fz123456', expires_on: '2031-01-01' }, true],
    ['passports of two countries', passport, { ...passport, issuing_country: 'PT' }, false],
    ['an RG and a passport', { ...rg, number: 'FZ123456' }, passport, false],
  ])('of two travellers: %s', (_case, one, other, isRepeated) => {
    const inputs = [one, other].map((identity_document, index) =>
      traveller(index, 'adult', { identity_document }),
    );
    expect(faultsOf(inputs, ['adult', 'adult'])).toEqual(
      isRepeated ? [['passengers.1.identity_document.number', 'repeated']] : [],
    );
  });

  it('with nine digits have one pair of check digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_998 }), fc.nat(99), (base, pair) => {
        const digits = String(base).padStart(9, '0');
        fc.pre(!/^(\d)\1*$/.test(digits));
        const number = digits + String(pair).padStart(2, '0');
        const faults = withDocument({ type: 'cpf', number });
        expect(faults).toEqual(number === cpfOf(digits) ? [] : [['number', 'invalid']]);
        expect(withDocument({ type: 'cpf', number: cpfOf(digits) })).toEqual([]);
      }),
    );
  });
});
