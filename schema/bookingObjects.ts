import { Field, ObjectType } from 'type-graphql';
import type { BookingRow } from '../src/domain/bookings/booking.ts';
import { eticketLink } from '../src/domain/bookings/eticket.ts';
import { openTravellers } from '../src/domain/bookings/sealedTravellers.ts';
import { inCamelCase } from '../src/domain/memberNames.ts';
import { formatAmount } from '../src/domain/money.ts';
import type { Platform } from '../src/domain/platform.ts';
import { Gender, IdentityDocumentType } from './bookingInputs.ts';
import { enumType } from './enumType.ts';
import { PassengerType } from './flightEnums.ts';
import { OfferConditions, OfferSlice } from './flightOffers.ts';
import { Pagination } from './pagination.ts';
import { Amount, DateTime } from './scalars.ts';
import { IsDay, IsUrl } from './textForms.ts';
import { Currency } from './wallet.ts';

export const BookingType = enumType<BookingRow['type']>({
  name: 'BookingType',
  description: 'When the wallet pays for a booking.',
  values: {
    instant: 'Debited at its creation.',
    hold: 'Reserved at its creation, debited at its confirmation.',
  },
});

export const BookingStatus = enumType<BookingRow['status']>({
  name: 'BookingStatus',
  description: 'State of a booking.',
  values: {
    pending: 'Held: its amount is reserved until payment_required_by.',
    confirmed: 'Paid; the carrier is issuing the tickets.',
    ticketed: 'The tickets are issued.',
    cancelled: 'Cancelled on request.',
    expired: 'Held and not confirmed in time.',
    failed: 'Not held or not ticketed; the money is back in full.',
  },
});

@ObjectType({ description: 'A ticket that a carrier issued.', simpleResolvers: true })
export class TravelDocument {
  @Field(() => String, { description: 'Kind of document: electronic_ticket.' })
  declare type: string;

  @Field(() => String, { description: 'Ticket number: 957-2412345678.' })
  declare uniqueIdentifier: string;

  @Field(() => String, { description: 'Id of the passenger it was issued to, prefix pas_.' })
  declare passengerId: string;
}

@ObjectType({ description: 'The document that a passenger travels with.', simpleResolvers: true })
export class IdentityDocument {
  @Field(() => IdentityDocumentType, { description: 'Kind of document.' })
  declare type: string;

  @Field(() => String, { description: 'Number as it was given.' })
  declare number: string;

  @Field(() => String, { nullable: true, description: 'ISO 3166-1 alpha-2 code of the issuing country.' })
  declare issuingCountry: string | null;

  @IsDay()
  @Field(() => String, { nullable: true, description: 'Last day of validity, YYYY-MM-DD.' })
  declare expiresOn: string | null;
}

@ObjectType({ description: 'A person who travels on a booking.', simpleResolvers: true })
export class BookingPassenger {
  @Field(() => String, {
    description: 'Id of the offer’s passenger, prefix pas_: the same in every booking of it.',
  })
  declare id: string;

  @Field(() => PassengerType, { description: 'Age group.' })
  declare type: string;

  @Field(() => String, { description: 'Given names.' })
  declare givenName: string;

  @Field(() => String, { description: 'Family names.' })
  declare familyName: string;

  @IsDay()
  @Field(() => String, { description: 'Day of birth, YYYY-MM-DD.' })
  declare bornOn: string;

  @Field(() => Gender, { description: 'Sex as in the identity document.' })
  declare gender: string;

  @Field(() => String, { description: 'E-mail address.' })
  declare email: string;

  @Field(() => String, { description: 'Phone number with country code.' })
  declare phoneNumber: string;

  @Field(() => IdentityDocument, { description: 'The document that the passenger travels with.' })
  declare identityDocument: IdentityDocument;

  @Field(() => String, {
    nullable: true,
    description: 'Id of the infant on this adult’s lap.',
  })
  declare infantPassengerId: string | null;
}

@ObjectType({ description: 'An offer bought with the wallet’s money.', simpleResolvers: true })
export class Booking {
  @Field(() => String, { description: 'Unique id, prefix ord_.' })
  declare id: string;

  @Field(() => String, { description: 'Six-character locator.' })
  declare bookingReference: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The carrier’s own record locator (PNR), with which travellers check in at the airline; null while nobody has told it.',
  })
  declare carrierReference: string | null;

  @Field(() => BookingType, { description: 'Paid at once, or held first.' })
  declare type: string;

  @Field(() => BookingStatus, { description: 'State of the booking.' })
  declare status: string;

  @Field(() => Amount, { description: 'Price: the offer’s client_amount.' })
  declare totalAmount: string;

  @Field(() => Currency, { description: 'Always BRL.' })
  declare currency: string;

  @Field(() => String, { description: 'The offer that was booked, prefix off_.' })
  declare offerId: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when a hold can be confirmed; holds only.',
  })
  declare paymentRequiredBy: string | null;

  @Field(() => [TravelDocument], { description: 'Tickets, once they are issued.' })
  declare documents: TravelDocument[];

  @IsUrl()
  @Field(() => String, { nullable: true, description: 'E-ticket receipt (PDF), once ticketed.' })
  declare eticketUrl: string | null;

  @Field(() => [BookingPassenger], { description: 'Who travels.' })
  declare passengers: BookingPassenger[];

  @Field(() => [OfferSlice], { description: 'The legs, as they were offered.' })
  declare slices: OfferSlice[];

  @Field(() => OfferConditions, { description: 'Refund and change conditions, as they were offered.' })
  declare conditions: BookingRow['terms']['conditions'];

  @Field(() => String, { nullable: true, description: 'Id of the debit transaction, once paid.' })
  declare transactionId: string | null;

  @Field(() => Amount, {
    nullable: true,
    description: 'What was credited when a paid booking ended, or since.',
  })
  declare refundAmount: string | null;

  @Field(() => Amount, { nullable: true, description: 'What was kept when a paid booking ended.' })
  declare penaltyAmount: string | null;

  @Field(() => String, { nullable: true, description: 'Id of the credit transaction of the refund.' })
  declare refundTransactionId: string | null;

  @Field(() => DateTime, { description: 'Creation time.' })
  declare createdAt: string;

  @Field(() => DateTime, { description: 'Time of the last change.' })
  declare updatedAt: string;

  @Field(() => DateTime, { nullable: true, description: 'When it was paid.' })
  declare confirmedAt: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When the tickets were issued.' })
  declare ticketedAt: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was cancelled, expired or failed.' })
  declare endedAt: string | null;
}

@ObjectType({ description: 'A page of bookings.', simpleResolvers: true })
export class BookingList {
  @Field(() => [Booking], { description: 'The bookings of the page.' })
  declare items: Booking[];

  @Field(() => Pagination, { description: 'Number of the page, and the totals.' })
  declare pagination: Pagination;
}

/** A booking in the shape of its GraphQL type. */
export function toBooking(row: BookingRow, { vault, publicUrl }: Platform): Booking {
  const penaltyCents = row.refund_cents === null ? null : BigInt(row.amount_cents) - BigInt(row.refund_cents);
  return {
    id: row.id,
    bookingReference: row.booking_reference,
    carrierReference: row.carrier_reference,
    type: row.type,
    status: row.status,
    totalAmount: formatAmount(row.amount_cents),
    currency: 'BRL',
    offerId: row.offer_id,
    paymentRequiredBy: row.payment_required_by?.toISOString() ?? null,
    documents: inCamelCase(row.documents),
    eticketUrl: row.ticketed_at ? eticketLink(row.id, { vault, publicUrl }) : null,
    passengers: openTravellers(row.sealed_travellers, vault),
    slices: inCamelCase(row.slices),
    conditions: row.terms.conditions,
    transactionId: row.debit_id,
    refundAmount: row.refund_cents === null ? null : formatAmount(row.refund_cents),
    penaltyAmount: penaltyCents === null ? null : formatAmount(penaltyCents),
    refundTransactionId: row.refund_id,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    confirmedAt: row.confirmed_at?.toISOString() ?? null,
    ticketedAt: row.ticketed_at?.toISOString() ?? null,
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}
