/** SPEC.md, Flight offers response: every field and its JSON type; `null or string` where it may be unknown. */

const place = {
  iata_code: 'string',
  name: 'string',
  city_name: 'string',
  iata_city_code: 'string',
  time_zone: 'string',
};

const carrier = { iata_code: 'string', name: 'string' };

const airport = { iata_code: 'string', name: 'string', terminal: 'null or string' };

const condition = {
  allowed: 'boolean',
  penalty_amount: 'null or string',
  penalty_currency: 'null or string',
};

const segment = {
  id: 'string',
  origin: airport,
  destination: airport,
  departing_at: 'string',
  arriving_at: 'string',
  operating_carrier: { ...carrier, logo_symbol_url: 'string' },
  marketing_carrier: carrier,
  operating_carrier_flight_number: 'string',
  marketing_carrier_flight_number: 'string',
  aircraft: carrier,
  duration: 'string',
  distance: 'string',
  passengers: [
    {
      passenger_id: 'string',
      cabin_class: 'string',
      cabin_class_marketing_name: 'string',
      fare_basis_code: 'string',
      baggages: [{ type: 'string', quantity: 'number' }],
    },
  ],
};

export const specifiedOffer = {
  id: 'string',
  total_amount: 'string',
  total_currency: 'string',
  client_amount: 'string',
  client_currency: 'string',
  original_amount: 'number',
  original_currency: 'string',
  exchange_rate_used: 'number',
  base_cost_brl: 'string',
  agency_markup_percent: 'number',
  agency_markup_amount: 'string',
  agency_fee_amount: 'string',
  total_agency_commission: 'string',
  markup_applied: 'string',
  fee_applied: 'string',
  expires_at: 'string',
  owner: carrier,
  slices: [{ id: 'string', origin: place, destination: place, duration: 'string', segments: [segment] }],
  passengers: [{ id: 'string', type: 'string', fare_brand_name: 'string', loyalty_programme_accounts: [] }],
  conditions: { refund_before_departure: condition, change_before_departure: condition },
  payment_requirements: {
    requires_instant_payment: 'boolean',
    price_guarantee_expires_at: 'null or string',
    payment_required_by: 'null or string',
  },
};

/** What the response has besides offers; SPEC leaves the members of both lists open. */
export const specifiedRequest = {
  id: 'string',
  slices: [{ origin: place, destination: place, departure_date: 'string' }],
  passengers: [{ id: 'string', type: 'string' }],
};
