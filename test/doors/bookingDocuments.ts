/** Bookings as GraphQL clients ask for them: in its own names, because aliases are counted. */

const place = '{ iataCode name cityName iataCityCode timeZone }';
const stop = '{ iataCode name terminal }';
const condition = '{ allowed penaltyAmount penaltyCurrency }';

const bookingFields = `id bookingReference type status totalAmount currency offerId paymentRequiredBy
  documents { type uniqueIdentifier passengerId } eticketUrl
  passengers {
    id type givenName familyName bornOn gender email phoneNumber infantPassengerId
    identityDocument { type number issuingCountry expiresOn }
  }
  slices {
    id origin ${place} destination ${place} duration
    segments {
      id origin ${stop} destination ${stop} departingAt arrivingAt
      operatingCarrier { iataCode name logoSymbolUrl } marketingCarrier { iataCode name }
      operatingCarrierFlightNumber marketingCarrierFlightNumber aircraft { iataCode name } duration distance
      passengers { passengerId cabinClass cabinClassMarketingName fareBasisCode baggages { type quantity } }
    }
  }
  conditions { refundBeforeDeparture ${condition} changeBeforeDeparture ${condition} }
  transactionId refundAmount penaltyAmount refundTransactionId createdAt updatedAt confirmedAt ticketedAt endedAt`;

export const bookingDocuments = {
  create: `mutation ($offerId: String!, $type: BookingType!, $passengers: [BookingPassengerInput!]!,
                     $payments: [BookingPaymentInput!]) {
    outcome: createBooking(offerId: $offerId, type: $type, passengers: $passengers, payments: $payments) {
      ${bookingFields}
    }
  }`,
  list: `query ($page: PageNumber, $limit: PageSize, $status: BookingStatus, $created_after: Moment,
                $order_by: BookingOrder, $order_dir: OrderDirection) {
    outcome: bookings(page: $page, limit: $limit, status: $status, createdAfter: $created_after, orderBy: $order_by,
                      orderDir: $order_dir) {
      items { ${bookingFields} } pagination { page limit total pages }
    }
  }`,
  get: `query ($id: String!) { outcome: booking(id: $id) { ${bookingFields} } }`,
  confirm: `mutation ($id: String!, $payments: [BookingPaymentInput!]) {
    outcome: confirmBooking(id: $id, payments: $payments) { ${bookingFields} }
  }`,
  cancel: `mutation ($id: String!) { outcome: cancelBooking(id: $id) { ${bookingFields} } }`,
  expireTest: `mutation ($id: String!) { outcome: expireTestBooking(id: $id) { ${bookingFields} } }`,
};
