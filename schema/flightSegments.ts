import { Field, Int, ObjectType } from 'type-graphql';
import { flightOf } from '../src/domain/flights/offer.ts';
import { BaggageType, CabinClass } from './flightEnums.ts';
import { SharesPart } from './sharedPart.ts';
import { IsDecimal, IsDuration, IsLocalTime, IsUrl } from './textForms.ts';

/** The flights of an offer as SPEC.md describes them, in the shapes of src/domain/flights/offer.ts. */

@ObjectType({ description: 'An airport where a flight begins or ends.', simpleResolvers: true })
export class SegmentPlace {
  @Field(() => String, { description: 'IATA code of the airport.' })
  declare iataCode: string;

  @Field(() => String, { description: 'Name of the airport.' })
  declare name: string;

  @Field(() => String, { nullable: true, description: 'Terminal; null when unknown.' })
  declare terminal: string | null;
}

@ObjectType({ description: 'An airline.', simpleResolvers: true })
export class Carrier {
  @Field(() => String, { description: 'IATA designator.' })
  declare iataCode: string;

  @Field(() => String, { description: 'Name of the airline.' })
  declare name: string;
}

@ObjectType({ description: 'The airline that flies.', simpleResolvers: true })
export class OperatingCarrier {
  @Field(() => String, { description: 'IATA designator.' })
  declare iataCode: string;

  @Field(() => String, { description: 'Name of the airline.' })
  declare name: string;

  @IsUrl()
  @Field(() => String, { description: 'URL of its badge (SVG).' })
  declare logoSymbolUrl: string;
}

@ObjectType({ description: 'A type of aircraft.', simpleResolvers: true })
export class Aircraft {
  @Field(() => String, { description: 'IATA aircraft type code.' })
  declare iataCode: string;

  @Field(() => String, { description: 'Manufacturer and model.' })
  declare name: string;
}

@ObjectType({ description: 'Baggage that the fare includes.', simpleResolvers: true })
export class Baggage {
  @Field(() => BaggageType, { description: 'checked or carry_on.' })
  declare type: BaggageType;

  @Field(() => Int, { description: 'Number of pieces.' })
  declare quantity: number;
}

@ObjectType({ description: 'What a passenger gets on a flight.', simpleResolvers: true })
export class SegmentPassenger {
  @Field(() => String, { description: 'Id of the passenger, prefix pas_.' })
  declare passengerId: string;

  @Field(() => CabinClass, { description: 'Cabin of this flight.' })
  declare cabinClass: CabinClass;

  @Field(() => String, { description: 'What the airline calls the cabin.' })
  declare cabinClassMarketingName: string;

  @Field(() => String, { description: 'Fare basis code.' })
  declare fareBasisCode: string;

  @Field(() => [Baggage], { description: 'Baggage included.' })
  declare baggages: readonly Baggage[];
}

@SharesPart({ key: flightOf, besides: ['id', 'passengers'] })
@ObjectType({ description: 'One flight.', simpleResolvers: true })
export class OfferSegment {
  @Field(() => String, { description: 'Unique id, prefix seg_.' })
  declare id: string;

  @Field(() => SegmentPlace, { description: 'Airport of departure.' })
  declare origin: SegmentPlace;

  @Field(() => SegmentPlace, { description: 'Airport of arrival.' })
  declare destination: SegmentPlace;

  @IsLocalTime()
  @Field(() => String, { description: 'Departure, local time without zone: 2026-12-01T23:40:00.' })
  declare departingAt: string;

  @IsLocalTime()
  @Field(() => String, { description: 'Arrival, local time without zone.' })
  declare arrivingAt: string;

  @Field(() => OperatingCarrier, { description: 'The airline that flies.' })
  declare operatingCarrier: OperatingCarrier;

  @Field(() => Carrier, { description: 'The airline under whose number the flight is sold.' })
  declare marketingCarrier: Carrier;

  @Field(() => String, { description: 'Flight number of the operating carrier.' })
  declare operatingCarrierFlightNumber: string;

  @Field(() => String, { description: 'Flight number of the marketing carrier.' })
  declare marketingCarrierFlightNumber: string;

  @Field(() => Aircraft, { description: 'Type of aircraft.' })
  declare aircraft: Aircraft;

  @IsDuration()
  @Field(() => String, { description: 'ISO 8601 duration: PT9H30M.' })
  declare duration: string;

  @IsDecimal({ places: 1 })
  @Field(() => String, { description: 'Kilometres with one decimal.' })
  declare distance: string;

  @Field(() => [SegmentPassenger], { description: 'What each passenger gets.' })
  declare passengers: readonly SegmentPassenger[];
}
