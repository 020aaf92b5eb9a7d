import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { tenantOf } from '../src/domain/admission.ts';
import type { BookingRow } from '../src/domain/bookings/booking.ts';
import { cancelBooking } from '../src/domain/bookings/cancellation.ts';
import { confirmBooking } from '../src/domain/bookings/confirmation.ts';
import { prepareBooking } from '../src/domain/bookings/creation.ts';
import { expireBooking } from '../src/domain/bookings/expiry.ts';
import { paymentFaults } from '../src/domain/bookings/payment.ts';
import type { BookingFilter } from '../src/domain/bookings/reading.ts';
import { findBooking, listBookings } from '../src/domain/bookings/reading.ts';
import type { TravellerParts } from '../src/domain/bookings/travellers.ts';
import { travellerFaults } from '../src/domain/bookings/travellers.ts';
import { mostPassengers } from '../src/domain/flights/searchRequest.ts';
import { paginationOf, rowsOf } from '../src/domain/pagination.ts';
import { ChecksOfParts } from './argumentChecks.ts';
import { BookingPassengerInput, BookingPaymentInput } from './bookingInputs.ts';
import { Booking, BookingList, BookingStatus, BookingType, toBooking } from './bookingObjects.ts';
import { BoundedArguments, type Bounds } from './bounds.ts';
import { enumType } from './enumType.ts';
import { Operation, type Prepared, prepared } from './operation.ts';
import { LimitArg, PageArg } from './pagination.ts';
import { Moment } from './scalars.ts';

const BookingOrder = enumType<BookingFilter['orderBy']>({
  name: 'BookingOrder',
  description: 'What a list of bookings is ordered by.',
  values: {
    created_at: 'Creation time.',
    total_amount: 'Price.',
  },
});

const OrderDirection = enumType<BookingFilter['orderDir']>({
  name: 'OrderDirection',
  description: 'Direction in which a list is sorted.',
  values: {
    asc: 'Smallest or oldest first.',
    desc: 'Largest or newest first.',
  },
});

type PaymentParts = readonly unknown[] | undefined;

const onePayment: Bounds = { minItems: 1, maxItems: 1 };

@Resolver()
export class BookingResolver {
  @Operation({ scope: 'bookings:read' })
  @Query(() => Booking, { description: 'One booking of the team.' })
  async booking(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix ord_.' }) id: string,
  ): Promise<Booking> {
    const { platform } = context.gateway;
    return toBooking(await findBooking(tenantOf(context), id, platform), platform);
  }

  @Operation({ scope: 'bookings:read' })
  @Query(() => BookingList, { description: 'The team’s bookings, newest first unless said otherwise.' })
  async bookings(
    @Ctx() context: RequestContext,
    @PageArg() page: number,
    @LimitArg() limit: number,
    @Arg('orderBy', () => BookingOrder, {
      defaultValue: BookingOrder.created_at,
      description: 'What they are ordered by.',
    })
    orderBy: BookingFilter['orderBy'],
    @Arg('orderDir', () => OrderDirection, {
      defaultValue: OrderDirection.desc,
      description: 'Direction of the order.',
    })
    orderDir: BookingFilter['orderDir'],
    @Arg('status', () => BookingStatus, { nullable: true, description: 'Only bookings in this state.' })
    status?: BookingFilter['status'],
    @Arg('createdAfter', () => Moment, {
      nullable: true,
      description: 'Only bookings made after this instant, or after the start of this UTC day.',
    })
    createdAfter?: string | null,
  ): Promise<BookingList> {
    const { platform } = context.gateway;
    const { bookings, total } = await listBookings(
      tenantOf(context),
      {
        status: status ?? null,
        createdAfter: createdAfter ? new Date(createdAfter) : null,
        orderBy,
        orderDir,
      },
      rowsOf(page, limit),
      platform,
    );
    return {
      items: bookings.map((booking) => toBooking(booking, platform)),
      pagination: paginationOf(page, limit, total),
    };
  }

  // The answer shows people's particulars, so it is kept sealed like a secret.
  @Operation({ scope: 'bookings:write', bucket: 'bookings', creation: 'secret' })
  @ChecksOfParts({
    passengers: (passengers: TravellerParts[], { clock }) => travellerFaults(passengers, clock.now()),
    payments: (payments: PaymentParts, _platform, { type }) =>
      paymentFaults(type as BookingRow['type'] | undefined, payments),
  })
  @BoundedArguments({ passengers: { minItems: 1, maxItems: mostPassengers }, payments: onePayment })
  @Mutation(() => Booking, { description: 'Books an offer with the wallet’s money.' })
  async createBooking(
    @Ctx() context: RequestContext,
    @Arg('offerId', () => String, { description: 'Id of an offer, prefix off_.' }) offerId: string,
    @Arg('type', () => BookingType, { description: 'instant, or hold where the offer allows it.' })
    type: BookingRow['type'],
    @Arg('passengers', () => [BookingPassengerInput], { description: 'One for each passenger of the offer.' })
    passengers: BookingPassengerInput[],
    @Arg('payments', () => [BookingPaymentInput], {
      nullable: true,
      description: 'One, of the offer’s client_amount; a hold may leave it to its confirmation.',
    })
    payments?: BookingPaymentInput[] | null,
  ): Promise<Prepared<Booking>> {
    const { platform } = context.gateway;
    const request = { offerId, type, passengers, payments: payments ?? null };
    const { booking, post } = await prepareBooking(tenantOf(context), request, platform);
    return prepared({ answer: toBooking(booking, platform), post });
  }

  @Operation({ scope: 'bookings:write', creation: 'secret' })
  @ChecksOfParts({ payments: (payments: PaymentParts) => paymentFaults('hold', payments) })
  @BoundedArguments({ payments: onePayment })
  @Mutation(() => Booking, { description: 'Pays a held booking from its reserve.' })
  async confirmBooking(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix ord_.' }) id: string,
    @Arg('payments', () => [BookingPaymentInput], {
      nullable: true,
      description: 'Compared with the price when given.',
    })
    payments?: BookingPaymentInput[] | null,
  ): Promise<Prepared<Booking>> {
    const { platform } = context.gateway;
    const tenant = tenantOf(context);
    const write = async () =>
      toBooking(await confirmBooking(tenant, id, payments ?? null, platform), platform);
    return prepared({ walletId: tenant.walletId, write });
  }

  @Operation({ scope: 'bookings:write', creation: 'secret' })
  @Mutation(() => Booking, {
    description: 'Cancels a booking; the wallet is credited what the offer’s conditions give back.',
  })
  async cancelBooking(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix ord_.' }) id: string,
  ): Promise<Prepared<Booking>> {
    const { platform } = context.gateway;
    const tenant = tenantOf(context);
    const write = async () => toBooking(await cancelBooking(tenant, id, platform), platform);
    return prepared({ walletId: tenant.walletId, write });
  }

  @Operation({ scope: 'bookings:write', testOnly: true })
  @Mutation(() => Booking, { description: 'Test mode: lets a held booking expire now.' })
  async expireTestBooking(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix ord_.' }) id: string,
  ): Promise<Booking> {
    const { platform } = context.gateway;
    return toBooking(await expireBooking(tenantOf(context), id, platform), platform);
  }
}
