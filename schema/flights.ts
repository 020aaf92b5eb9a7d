import { Arg, Ctx, Field, InputType, Int, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { leaveToDoor, searcherOf, tenantOf } from '../src/domain/admission.ts';
import type { OfferSort as DomainOfferSort, OfferFilter } from '../src/domain/flights/offerPage.ts';
import { filterFaults, listOffers } from '../src/domain/flights/offerPage.ts';
import { findOffer } from '../src/domain/flights/offerStore.ts';
import { searchFlights } from '../src/domain/flights/search.ts';
import type { TripType as DomainTripType, SearchParts } from '../src/domain/flights/searchRequest.ts';
import { mostPassengers, mostSlices, searchFaults } from '../src/domain/flights/searchRequest.ts';
import { ChecksOfParts } from './argumentChecks.ts';
import { Bounded } from './bounds.ts';
import { enumType } from './enumType.ts';
import { CabinClass, PassengerType } from './flightEnums.ts';
import { FlightOffer, OfferPlace } from './flightOffers.ts';
import { Operation } from './operation.ts';
import { LimitArg, PageArg, Pagination } from './pagination.ts';
import { AirportCode, Amount, DepartureDate } from './scalars.ts';
import { IsDay } from './textForms.ts';

const TripType = enumType<DomainTripType>({
  name: 'TripType',
  description: 'Shape of a trip.',
  values: {
    one_way: 'One slice.',
    round_trip: 'Two slices.',
    multi_city: 'Two to six slices.',
  },
});

const OfferSort = enumType<DomainOfferSort>({
  name: 'OfferSort',
  description: 'Order of a list of offers.',
  values: {
    total_amount: 'Cheapest first, by client_amount.',
    duration: 'Shortest first, all slices together.',
  },
});

@InputType({ description: 'One leg of a trip.' })
export class FlightSliceInput {
  @Field(() => AirportCode, { description: 'Where the leg begins.' })
  declare origin: string;

  @Field(() => AirportCode, { description: 'Where the leg ends.' })
  declare destination: string;

  @Field(() => DepartureDate, {
    description: 'Day of departure, YYYY-MM-DD; after today at the origin, not before the slice before.',
  })
  declare departureDate: string;
}

@InputType({ description: 'Passengers of one type.' })
export class FlightPassengerInput {
  @Field(() => PassengerType, { description: 'Age group.' })
  declare type: PassengerType;

  @Bounded({ minimum: 1, maximum: mostPassengers })
  @Field(() => Int, { description: 'How many, from 1; 9 in all, not more infants than adults.' })
  declare count: number;
}

@InputType({ description: 'What to search for.' })
export class FlightSearchInput {
  @Field(() => TripType, { description: 'Shape of the trip.' })
  declare type: DomainTripType;

  @Bounded({ minItems: 1, maxItems: mostSlices })
  @Field(() => [FlightSliceInput], { description: 'The legs of the trip.' })
  declare slices: FlightSliceInput[];

  @Bounded({ minItems: 1, maxItems: mostPassengers })
  @Field(() => [FlightPassengerInput], { description: 'Who travels, grouped by type.' })
  declare passengers: FlightPassengerInput[];

  @Field(() => CabinClass, { nullable: true, description: 'Cabin; economy when left out.' })
  declare cabinClass?: CabinClass | null;
}

@InputType({ description: 'Which offers of a search to list.' })
export class OfferFilterInput {
  @Field(() => Int, { nullable: true, description: 'Most connections of any slice; 0 for direct flights.' })
  declare maxStops?: number | null;

  @Field(() => [String], { nullable: true, description: 'IATA codes of the principal carriers.' })
  declare carriers?: string[] | null;

  @Field(() => Amount, { nullable: true, description: 'Lowest client_amount, inclusive.' })
  declare minPrice?: string | null;

  @Field(() => Amount, { nullable: true, description: 'Highest client_amount, inclusive.' })
  declare maxPrice?: string | null;
}

@ObjectType({ description: 'A slice that was asked for.', simpleResolvers: true })
export class RequestedSlice {
  @Field(() => OfferPlace, { description: 'Where the leg begins: an airport, or a city under its own code.' })
  declare origin: OfferPlace;

  @Field(() => OfferPlace, { description: 'Where the leg ends: an airport, or a city under its own code.' })
  declare destination: OfferPlace;

  @IsDay()
  @Field(() => String, { description: 'Day of departure, YYYY-MM-DD.' })
  declare departureDate: string;
}

@ObjectType({ description: 'One person who travels.', simpleResolvers: true })
export class RequestedPassenger {
  @Field(() => String, { description: 'Unique id, prefix pas_: the same in every offer of the search.' })
  declare id: string;

  @Field(() => PassengerType, { description: 'Age group.' })
  declare type: PassengerType;
}

@ObjectType({ description: 'A search and the offers it found.', simpleResolvers: true })
export class OfferRequest {
  @Field(() => String, { description: 'Unique id, prefix orq_.' })
  declare id: string;

  @Field(() => [FlightOffer], { description: 'Offers, cheapest for the client first.' })
  declare offers: readonly FlightOffer[];

  @Field(() => [RequestedSlice], { description: 'The slices that were asked for.' })
  declare slices: readonly RequestedSlice[];

  @Field(() => [RequestedPassenger], { description: 'The passengers, one entry a person.' })
  declare passengers: readonly RequestedPassenger[];
}

@ObjectType({ description: 'A page of the offers of an earlier search.', simpleResolvers: true })
export class OfferRequestPage extends OfferRequest {
  @Field(() => [FlightOffer], { description: 'Offers of the page, in the order that was asked for.' })
  declare offers: readonly FlightOffer[];

  @Field(() => Pagination, { description: 'Number of the page, and the totals of what passes the filter.' })
  declare pagination: Pagination;
}

@Resolver()
export class FlightResolver {
  /**
   * A query: it changes nothing that the caller could tell, and searches that share a document run side by side, not
   * one after the other. GET cannot trigger it by accident, since every request needs the Authorization header.
   */
  @Operation({ scope: 'flights:search', bucket: 'search' })
  @ChecksOfParts({ search: (search: SearchParts, { clock }) => searchFaults(search, clock.now()) })
  @Query(() => OfferRequest, { description: 'Searches flights: priced offers, kept until they expire.' })
  async flightSearch(
    @Ctx() context: RequestContext,
    @Arg('search', () => FlightSearchInput, { description: 'What to search for.' }) search: FlightSearchInput,
  ): Promise<OfferRequest> {
    const { answer, stored } = await searchFlights(searcherOf(context), search, context.gateway.platform);
    await leaveToDoor(stored, context);
    return answer as OfferRequest;
  }

  @Operation({ scope: 'flights:search' })
  @Query(() => FlightOffer, {
    description: 'An offer of an earlier search of the team, as it was priced then.',
  })
  offer(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix off_.' }) id: string,
  ): Promise<FlightOffer> {
    const { sequelize } = context.gateway.platform;
    return findOffer(tenantOf(context), id, sequelize) as Promise<FlightOffer>;
  }

  @Operation({ scope: 'flights:search' })
  @ChecksOfParts({ filter: (filter: OfferFilter | undefined) => filterFaults(filter ?? {}) })
  @Query(() => OfferRequestPage, {
    description: 'An earlier search of the team, sorted, filtered and in pages.',
  })
  offerRequest(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix orq_.' }) id: string,
    @Arg('sort', () => OfferSort, {
      defaultValue: OfferSort.total_amount,
      description: 'How they are sorted.',
    })
    sort: DomainOfferSort,
    @PageArg() page: number,
    @LimitArg() limit: number,
    @Arg('filter', () => OfferFilterInput, { nullable: true, description: 'Only these offers.' })
    filter?: OfferFilterInput | null,
  ): Promise<OfferRequestPage> {
    const { sequelize } = context.gateway.platform;
    const listing = { sort, filter: filter ?? {}, page, limit };
    return listOffers(tenantOf(context), id, listing, sequelize) as Promise<OfferRequestPage>;
  }
}
