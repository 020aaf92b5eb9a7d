import { Arg, Ctx, Field, InputType, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import type { SupplierOrder as DomainOrder, IssuedTicket } from '../src/domain/bookings/supplierOrders.ts';
import {
  askedOften,
  cancelForCarrier,
  carrierReferenceFaults,
  dropCancellation,
  failBooking,
  findSupplierOrder,
  listWaitingOrders,
  recordTickets,
  ticketFaults,
} from '../src/domain/bookings/supplierOrders.ts';
import { paginationOf, rowsOf } from '../src/domain/pagination.ts';
import type { Parts } from '../src/domain/parts.ts';
import { ChecksOfParts } from './argumentChecks.ts';
import { BookingStatus } from './bookingObjects.ts';
import { enumType } from './enumType.ts';
import { Operation } from './operation.ts';
import { LimitArg, PageArg, Pagination } from './pagination.ts';
import { DateTime } from './scalars.ts';
import { Mode } from './tenant.ts';

const SupplierTask = enumType<NonNullable<DomainOrder['task']>>({
  name: 'SupplierTask',
  description: 'What a supplier is asked for.',
  values: {
    hold: 'To reserve the space.',
    issue: 'To have the tickets issued.',
    cancel: 'To give up the order, with its space and tickets.',
  },
});

@ObjectType({
  description:
    'A booking as what it is at its supplier, for operators: without particulars of those who travel.',
  simpleResolvers: true,
})
export class SupplierOrder {
  @Field(() => String, { description: 'Id of the booking, prefix ord_.' })
  declare bookingId: string;

  @Field(() => String, { description: 'Id of the team that made the booking, prefix team_.' })
  declare teamId: string;

  @Field(() => Mode, { description: 'Mode of the team that it was made in.' })
  declare mode: string;

  @Field(() => String, { description: 'Name of the supplier in the settings.' })
  declare supplier: string;

  @Field(() => String, { description: 'Six-character locator.' })
  declare bookingReference: string;

  @Field(() => String, {
    nullable: true,
    description: 'The carrier’s own record locator (PNR); null while nobody has told it.',
  })
  declare carrierReference: string | null;

  @Field(() => BookingStatus, { description: 'State of the booking.' })
  declare status: string;

  @Field(() => [String], { description: 'Ids of the passengers, prefix pas_.' })
  declare passengerIds: readonly string[];

  @Field(() => SupplierTask, {
    nullable: true,
    description: 'What the supplier is being asked for; null for nothing more.',
  })
  declare task: string | null;

  @Field(() => Int, { description: 'How often it was asked for that without settling it.' })
  declare timesAsked: number;

  @Field(() => DateTime, { description: 'Time of the booking’s last change.' })
  declare since: string;

  @Field(() => String, {
    nullable: true,
    description:
      'What the supplier’s adapter keeps of the order, such as the supplier’s own id for it; null for nothing.',
  })
  declare note: string | null;
}

@ObjectType({ description: 'A page of orders at suppliers.', simpleResolvers: true })
export class SupplierOrderList {
  @Field(() => [SupplierOrder], { description: 'The orders of the page.' })
  declare items: SupplierOrder[];

  @Field(() => Pagination, { description: 'Number of the page, and the totals.' })
  declare pagination: Pagination;
}

@InputType({ description: 'A ticket that the carrier issued.' })
export class TicketInput {
  @Field(() => String, { description: 'Id of the passenger it was issued to, prefix pas_.' })
  declare passengerId: string;

  @Field(() => String, { description: 'Ticket number: 957-2412345678.' })
  declare uniqueIdentifier: string;
}

const toOrder = (order: DomainOrder): SupplierOrder => ({ ...order, since: order.since.toISOString() });

const idDescription = 'Id of the booking, prefix ord_.';

/** What suppliers leave undecided is settled by the operators, who can ask them otherwise than through their interface. */
@Resolver()
export class SupplierOrderResolver {
  @Operation({ scope: 'operator' })
  @Query(() => SupplierOrderList, {
    description: 'Orders of all teams that suppliers were asked for and have not settled, the oldest first.',
  })
  async waitingOrders(
    @Ctx() context: RequestContext,
    @Arg('timesAsked', () => Int, {
      defaultValue: askedOften,
      description: 'Only those asked for at least so often.',
    })
    timesAsked: number,
    @PageArg() page: number,
    @LimitArg() limit: number,
  ): Promise<SupplierOrderList> {
    const where = rowsOf(page, limit);
    const { orders, total } = await listWaitingOrders(timesAsked, where, context.gateway.platform);
    return { items: orders.map(toOrder), pagination: paginationOf(page, limit, total) };
  }

  @Operation({ scope: 'operator' })
  @Query(() => SupplierOrder, {
    description: 'A booking of any team as what it is at its supplier, whether anything is waiting or not.',
  })
  async supplierOrder(
    @Ctx() context: RequestContext,
    @Arg('bookingId', () => String, { description: idDescription }) bookingId: string,
  ): Promise<SupplierOrder> {
    return toOrder(await findSupplierOrder(bookingId, context.gateway.platform));
  }

  @Operation({ scope: 'operator' })
  @Mutation(() => SupplierOrder, {
    description:
      'Ends a paid booking whose supplier never decides: failed, with the money back in full; events booking.failed and wallet.credit.',
  })
  async failBooking(
    @Ctx() context: RequestContext,
    @Arg('bookingId', () => String, { description: idDescription }) bookingId: string,
  ): Promise<SupplierOrder> {
    return toOrder(await failBooking(bookingId, context.caller.keyId, context.gateway.platform));
  }

  @Operation({ scope: 'operator' })
  @Mutation(() => SupplierOrder, {
    description:
      'Cancels a paid booking whose flights the carrier has cancelled: the money is given back in full; events booking.cancelled and wallet.credit. Of one that was cancelled before, what was kept is given back; event wallet.credit.',
  })
  async cancelForCarrier(
    @Ctx() context: RequestContext,
    @Arg('bookingId', () => String, { description: idDescription }) bookingId: string,
  ): Promise<SupplierOrder> {
    return toOrder(await cancelForCarrier(bookingId, context.caller.keyId, context.gateway.platform));
  }

  @Operation({ scope: 'operator' })
  @ChecksOfParts({
    tickets: (tickets: (Parts<IssuedTicket> | undefined)[]) => ticketFaults(tickets, null),
    carrierReference: carrierReferenceFaults,
  })
  @Mutation(() => SupplierOrder, {
    description:
      'Records the tickets of a paid booking that the carrier issued without its supplier saying so; event booking.ticketed.',
  })
  async recordTickets(
    @Ctx() context: RequestContext,
    @Arg('bookingId', () => String, { description: idDescription }) bookingId: string,
    @Arg('tickets', () => [TicketInput], { description: 'At least one for each passenger.' })
    tickets: TicketInput[],
    @Arg('carrierReference', () => String, {
      nullable: true,
      description: 'The carrier’s own record locator (PNR); without it the one that is known stays.',
    })
    carrierReference?: string | null,
  ): Promise<SupplierOrder> {
    const order = { tickets, carrierReference: carrierReference ?? null };
    return toOrder(await recordTickets(bookingId, order, context.caller.keyId, context.gateway.platform));
  }

  @Operation({ scope: 'operator' })
  @Mutation(() => SupplierOrder, {
    description:
      'Asks a supplier no more to give up the order of a booking that has ended. The booking and its money stay as they are.',
  })
  async dropCancellation(
    @Ctx() context: RequestContext,
    @Arg('bookingId', () => String, { description: idDescription }) bookingId: string,
  ): Promise<SupplierOrder> {
    return toOrder(await dropCancellation(bookingId, context.caller.keyId, context.gateway.platform));
  }
}
