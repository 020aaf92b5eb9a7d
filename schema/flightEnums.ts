import { registerEnumType } from 'type-graphql';

export enum CabinClass {
  economy = 'economy',
  premium_economy = 'premium_economy',
  business = 'business',
  first = 'first',
}
registerEnumType(CabinClass, {
  name: 'CabinClass',
  description: 'Cabin of an aircraft.',
  valuesConfig: {
    economy: { description: 'Economy.' },
    premium_economy: { description: 'Premium economy.' },
    business: { description: 'Business.' },
    first: { description: 'First.' },
  },
});

export enum PassengerType {
  adult = 'adult',
  child = 'child',
  infant_without_seat = 'infant_without_seat',
}
registerEnumType(PassengerType, {
  name: 'PassengerType',
  description: 'Age group of a passenger on the day of the flight.',
  valuesConfig: {
    adult: { description: '12 or older.' },
    child: { description: '2 to 11.' },
    infant_without_seat: { description: '0 to 1, on an adult’s lap.' },
  },
});

export enum CarrierCurrency {
  BRL = 'BRL',
  USD = 'USD',
  EUR = 'EUR',
}
registerEnumType(CarrierCurrency, {
  name: 'CarrierCurrency',
  description: 'Currency in which carriers sell.',
  valuesConfig: {
    BRL: { description: 'Brazilian real.' },
    USD: { description: 'United States dollar.' },
    EUR: { description: 'Euro.' },
  },
});

export enum BaggageType {
  checked = 'checked',
  carry_on = 'carry_on',
}
registerEnumType(BaggageType, {
  name: 'BaggageType',
  description: 'Kind of baggage.',
  valuesConfig: {
    checked: { description: 'In the hold.' },
    carry_on: { description: 'In the cabin.' },
  },
});
