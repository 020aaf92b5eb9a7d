import { Field, Float, ObjectType } from 'type-graphql';
import { CarrierCurrency, PassengerType } from './flightEnums.ts';
import { Carrier, OfferSegment } from './flightSegments.ts';
import { Amount, DateTime } from './scalars.ts';
import { IsDuration } from './textForms.ts';
import { Currency } from './wallet.ts';

/** Flight offers as SPEC.md describes them, in the shapes of src/domain/flights/offer.ts. */

@ObjectType({ description: 'An airport or a city.', simpleResolvers: true })
export class OfferPlace {
  @Field(() => String, { description: 'IATA code of the airport or city.' })
  declare iataCode: string;

  @Field(() => String, { description: 'Name of the airport or city.' })
  declare name: string;

  @Field(() => String, { description: 'Name of its city.' })
  declare cityName: string;

  @Field(() => String, { description: 'IATA code of its city.' })
  declare iataCityCode: string;

  @Field(() => String, { description: 'IANA time zone.' })
  declare timeZone: string;
}

@ObjectType({ description: 'One leg of an offer.', simpleResolvers: true })
export class OfferSlice {
  @Field(() => String, { description: 'Unique id, prefix sli_.' })
  declare id: string;

  @Field(() => OfferPlace, { description: 'Airport where the leg begins.' })
  declare origin: OfferPlace;

  @Field(() => OfferPlace, { description: 'Airport where the leg ends.' })
  declare destination: OfferPlace;

  @IsDuration()
  @Field(() => String, { description: 'ISO 8601 duration, connections included: PT9H30M.' })
  declare duration: string;

  @Field(() => [OfferSegment], { description: 'Its flights, in order.' })
  declare segments: readonly OfferSegment[];
}

@ObjectType({ description: 'An account with an airline’s loyalty programme.', simpleResolvers: true })
export class LoyaltyProgrammeAccount {
  @Field(() => String, { description: 'IATA code of the airline.' })
  declare airlineIataCode: string;

  @Field(() => String, { description: 'Number of the account.' })
  declare accountNumber: string;
}

@ObjectType({ description: 'A passenger of an offer.', simpleResolvers: true })
export class OfferPassenger {
  @Field(() => String, {
    description: 'Id, prefix pas_, used when booking: the same in every offer of the search.',
  })
  declare id: string;

  @Field(() => PassengerType, { description: 'Age group.' })
  declare type: PassengerType;

  @Field(() => String, { description: 'What the airline calls the fare.' })
  declare fareBrandName: string;

  @Field(() => [LoyaltyProgrammeAccount], {
    description: 'Always empty: a search takes no accounts.',
  })
  declare loyaltyProgrammeAccounts: readonly LoyaltyProgrammeAccount[];
}

@ObjectType({ description: 'Whether and at what price something may be done.', simpleResolvers: true })
export class OfferCondition {
  @Field(() => Boolean, { description: 'Whether it may be done.' })
  declare allowed: boolean;

  @Field(() => Amount, {
    nullable: true,
    description: 'What the carrier charges for it; null when not allowed or not known.',
  })
  declare penaltyAmount: string | null;

  @Field(() => CarrierCurrency, { nullable: true, description: 'Currency of the penalty; null without one.' })
  declare penaltyCurrency: CarrierCurrency | null;
}

@ObjectType({ description: 'Refund and change before departure.', simpleResolvers: true })
export class OfferConditions {
  @Field(() => OfferCondition, { description: 'Refund before departure.' })
  declare refundBeforeDeparture: OfferCondition;

  @Field(() => OfferCondition, { description: 'Change before departure.' })
  declare changeBeforeDeparture: OfferCondition;
}

@ObjectType({ description: 'When the offer must be paid.', simpleResolvers: true })
export class PaymentRequirements {
  @Field(() => Boolean, { description: 'Whether it must be paid when booked.' })
  declare requiresInstantPayment: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when the carrier keeps the price of a hold; null with instant payment.',
  })
  declare priceGuaranteeExpiresAt: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'Until when the carrier wants a hold paid; it can be confirmed until then, but not beyond expires_at. Null with instant payment.',
  })
  declare paymentRequiredBy: string | null;
}

@ObjectType({
  description: 'A journey for all passengers, priced for the team. BRL unless said otherwise.',
  simpleResolvers: true,
})
export class FlightOffer {
  @Field(() => String, { description: 'Unique id, prefix off_; used to create a booking.' })
  declare id: string;

  @Field(() => Amount, { description: 'Amount in the carrier’s currency.' })
  declare totalAmount: string;

  @Field(() => CarrierCurrency, { description: 'The carrier’s currency.' })
  declare totalCurrency: CarrierCurrency;

  @Field(() => Amount, { description: 'Final amount to charge the customer.' })
  declare clientAmount: string;

  @Field(() => Currency, { description: 'Always BRL.' })
  declare clientCurrency: string;

  @Field(() => Float, { description: 'Amount in the carrier’s currency, as a number.' })
  declare originalAmount: number;

  @Field(() => CarrierCurrency, { description: 'The carrier’s currency.' })
  declare originalCurrency: CarrierCurrency;

  @Field(() => Float, { description: 'Reais for one unit of the carrier’s currency, as applied.' })
  declare exchangeRateUsed: number;

  @Field(() => Amount, { description: 'The carrier’s amount in BRL, before markup and fee.' })
  declare baseCostBrl: string;

  @Field(() => Float, { description: 'The agency’s markup in percent.' })
  declare agencyMarkupPercent: number;

  @Field(() => Amount, { description: 'The agency’s markup on the base cost.' })
  declare agencyMarkupAmount: string;

  @Field(() => Amount, { description: 'The agency’s fixed fee.' })
  declare agencyFeeAmount: string;

  @Field(() => Amount, { description: 'Markup and fee.' })
  declare totalAgencyCommission: string;

  @Field(() => Amount, { description: 'Markup in client_amount: the same as agency_markup_amount.' })
  declare markupApplied: string;

  @Field(() => Amount, { description: 'Fee in client_amount: the same as agency_fee_amount.' })
  declare feeApplied: string;

  @Field(() => DateTime, { description: 'When the offer expires.' })
  declare expiresAt: string;

  @Field(() => Carrier, { description: 'Principal carrier: the one that sells the offer.' })
  declare owner: Carrier;

  @Field(() => [OfferSlice], { description: 'Legs, in the order of the search.' })
  declare slices: readonly OfferSlice[];

  @Field(() => [OfferPassenger], { description: 'Passengers with their ids.' })
  declare passengers: readonly OfferPassenger[];

  @Field(() => OfferConditions, { description: 'Refund and change.' })
  declare conditions: OfferConditions;

  @Field(() => PaymentRequirements, { description: 'When it must be paid.' })
  declare paymentRequirements: PaymentRequirements;
}
