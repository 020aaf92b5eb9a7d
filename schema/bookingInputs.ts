import { Field, InputType } from 'type-graphql';
import { identityCardCountries } from '../src/domain/bookings/journey.ts';
import type {
  IdentityDocumentType as DomainDocumentType,
  Gender as DomainGender,
} from '../src/infrastructure/flights/order.ts';
import { enumType } from './enumType.ts';
import { Amount, Day } from './scalars.ts';
import { Currency } from './wallet.ts';

/** Members are spelt as the REST body spells them: routes are GraphQL documents, so both doors take the same. */

export const Gender = enumType<DomainGender>({
  name: 'Gender',
  description: 'Sex as in travel documents (ICAO Doc 9303).',
  values: {
    f: 'Female.',
    m: 'Male.',
    x: 'Unspecified.',
  },
});

export const IdentityDocumentType = enumType<DomainDocumentType>({
  name: 'IdentityDocumentType',
  description: 'Kind of identity document.',
  values: {
    cpf: 'Brazilian taxpayer number.',
    rg: 'Brazilian identity card.',
    passport: 'Passport of any country.',
  },
});

@InputType({ description: 'The document that a passenger travels with.' })
export class IdentityDocumentInput {
  @Field(() => IdentityDocumentType, {
    description: `Kind of document. Flights within Brazil take any; flights between the states of ${[...identityCardCountries].join(', ')} an rg or a passport; all others, those that only change planes elsewhere included, a passport.`,
  })
  declare type: DomainDocumentType;

  @Field(() => String, { description: 'Number as it is printed.' })
  declare number: string;

  @Field(() => String, {
    nullable: true,
    description: 'ISO 3166-1 alpha-2 code of the issuing country; needed for passports.',
  })
  declare issuing_country?: string | null;

  @Field(() => Day, { nullable: true, description: 'Last day of validity; needed for passports.' })
  declare expires_on?: string | null;
}

@InputType({ description: 'One passenger of the offer, with the particulars that carriers ask for.' })
export class BookingPassengerInput {
  @Field(() => String, { description: 'Id of the offer’s passenger, prefix pas_.' })
  declare id: string;

  @Field(() => String, { description: 'Given names, as in the identity document.' })
  declare given_name: string;

  @Field(() => String, { description: 'Family names, as in the identity document.' })
  declare family_name: string;

  @Field(() => Day, { description: 'Day of birth; the age on each flight must fit the passenger’s type.' })
  declare born_on: string;

  @Field(() => Gender, { description: 'Sex as in the identity document.' })
  declare gender: DomainGender;

  @Field(() => String, { description: 'E-mail address.' })
  declare email: string;

  @Field(() => String, { description: 'Phone number with country code: +5511987654321.' })
  declare phone_number: string;

  @Field(() => IdentityDocumentInput, { description: 'The document that the passenger travels with.' })
  declare identity_document: IdentityDocumentInput;

  @Field(() => String, {
    nullable: true,
    description: 'Id of the infant on this adult’s lap; every infant needs one adult.',
  })
  declare infant_passenger_id?: string | null;
}

const BookingPaymentType = enumType({
  name: 'BookingPaymentType',
  description: 'How a booking is paid.',
  values: {
    balance: 'From the wallet.',
  },
});

@InputType({ description: 'Payment of a booking.' })
export class BookingPaymentInput {
  @Field(() => BookingPaymentType, { description: 'Always balance.' })
  declare type: keyof typeof BookingPaymentType;

  @Field(() => Amount, { description: 'The offer’s client_amount.' })
  declare amount: string;

  @Field(() => Currency, { description: 'Always BRL.' })
  declare currency: string;
}
