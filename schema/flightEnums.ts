import type { SegmentPassenger } from '../src/domain/flights/offer.ts';
import type {
  CabinClass as DomainCabinClass,
  CarrierCurrency as DomainCarrierCurrency,
  PassengerType as DomainPassengerType,
} from '../src/infrastructure/flights/supplier.ts';
import { enumType } from './enumType.ts';

export const CabinClass = enumType<DomainCabinClass>({
  name: 'CabinClass',
  description: 'Cabin of an aircraft.',
  values: {
    economy: 'Economy.',
    premium_economy: 'Premium economy.',
    business: 'Business.',
    first: 'First.',
  },
});
export type CabinClass = keyof typeof CabinClass;

export const PassengerType = enumType<DomainPassengerType>({
  name: 'PassengerType',
  description: 'Age group of a passenger on the day of the flight.',
  values: {
    adult: '12 or older.',
    child: '2 to 11.',
    infant_without_seat: '0 to 1, on an adult’s lap.',
  },
});
export type PassengerType = keyof typeof PassengerType;

export const CarrierCurrency = enumType<DomainCarrierCurrency>({
  name: 'CarrierCurrency',
  description: 'Currency in which carriers sell.',
  values: {
    BRL: 'Brazilian real.',
    USD: 'United States dollar.',
    EUR: 'Euro.',
  },
});
export type CarrierCurrency = keyof typeof CarrierCurrency;

export const BaggageType = enumType<SegmentPassenger['baggages'][number]['type']>({
  name: 'BaggageType',
  description: 'Kind of baggage.',
  values: {
    checked: 'In the hold.',
    carry_on: 'In the cabin.',
  },
});
export type BaggageType = keyof typeof BaggageType;
