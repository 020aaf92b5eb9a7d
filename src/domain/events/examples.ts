/** Objects that examples are made of, here and in the documentation of REST: of one recharge and one booking. */

export const recharge = {
  id: 'rch_01jd4ymq2ve5j8v2r0h3m6x9qb',
  amount: '1000.00',
  currency: 'BRL',
  status: 'pending',
  payment_method: 'pix',
  created_at: '2026-11-20T12:00:31.000Z',
};

export const credit = {
  id: 'txn_01jd4ynv5te5j8v2r0h3m6x9qa',
  type: 'credit',
  amount: recharge.amount,
  currency: 'BRL',
  description: 'Recharge by PIX',
  reference_type: 'recharge',
  reference_id: recharge.id,
  balance_after: recharge.amount,
  payment_method: recharge.payment_method,
  created_at: '2026-11-20T12:01:09.000Z',
};

const origin = {
  iata_code: 'GRU',
  name: 'São Paulo–Guarulhos International Airport',
  city_name: 'São Paulo',
  iata_city_code: 'SAO',
  time_zone: 'America/Sao_Paulo',
};

const destination = {
  iata_code: 'GIG',
  name: 'Rio de Janeiro-Galeão International Airport',
  city_name: 'Rio de Janeiro',
  iata_city_code: 'RIO',
  time_zone: 'America/Sao_Paulo',
};

const passengerId = 'pas_01jd4yq9xre5j8v2r0h3m6x9qd';

const slice = {
  id: 'sli_01jd4yq9xre5j8v2r0h3m6x9qe',
  origin,
  destination,
  duration: 'PT55M',
  segments: [
    {
      id: 'seg_01jd4yq9xre5j8v2r0h3m6x9qf',
      origin: { iata_code: origin.iata_code, name: origin.name, terminal: '2' },
      destination: { iata_code: destination.iata_code, name: destination.name, terminal: '2' },
      departing_at: '2027-01-15T21:00:00',
      arriving_at: '2027-01-15T21:55:00',
      operating_carrier: {
        iata_code: 'JJ',
        name: 'LATAM Airlines Brasil',
        logo_symbol_url: 'https://api.example.com/logos/JJ.svg',
      },
      marketing_carrier: { iata_code: 'LA', name: 'LATAM Airlines' },
      operating_carrier_flight_number: '1539',
      marketing_carrier_flight_number: '1539',
      aircraft: { iata_code: '32N', name: 'Airbus A320neo' },
      duration: 'PT55M',
      distance: '339.7',
      passengers: [
        {
          passenger_id: passengerId,
          cabin_class: 'economy',
          cabin_class_marketing_name: 'Economy',
          fare_basis_code: 'MHSTDOW',
          baggages: [
            { type: 'carry_on', quantity: 1 },
            { type: 'checked', quantity: 1 },
          ],
        },
      ],
    },
  ],
};

export const booking = {
  id: 'ord_01jd4yr7rae5j8v2r0h3m6x9qc',
  booking_reference: 'K3TQ9P',
  status: 'confirmed',
  total_amount: '561.50',
  currency: 'BRL',
  documents: [],
  passengers: [{ id: passengerId, type: 'adult', given_name: 'Ana', family_name: 'Souza' }],
  slices: [slice],
  created_at: '2026-11-20T12:05:00.000Z',
};

export const ticketedBooking = {
  ...booking,
  status: 'ticketed',
  documents: [
    {
      type: 'electronic_ticket',
      unique_identifier: '957-2412345678',
      passenger_id: passengerId,
    },
  ],
};

export const debit = {
  id: 'txn_01jd4yr7rae5j8v2r0h3m6x9qk',
  type: 'debit',
  amount: booking.total_amount,
  currency: 'BRL',
  description: `Booking ${booking.booking_reference}`,
  reference_type: 'booking',
  reference_id: booking.id,
  balance_after: '438.50',
  created_at: booking.created_at,
};

export const integration = {
  name: 'simulated',
  kind: 'flight_supplier',
  connected: true,
  updated_at: '2026-11-20T12:00:00.000Z',
};

export const apiKey = {
  id: 'key_01jd4yk3zne5j8v2r0h3m6x9qe',
  name: 'Production site',
  mode: 'live',
  last_four: 'x9Qe',
  scopes: ['wallet:read', 'flights:search'],
  created_at: '2026-11-20T11:59:00.000Z',
};
