/** Objects that the catalogue's examples are made of. */

export const transaction = {
  id: 'txn_01jd4ynv5te5j8v2r0h3m6x9qa',
  type: 'credit',
  amount: '500.00',
  currency: 'BRL',
  description: 'Recharge by PIX',
  reference_type: 'recharge',
  reference_id: 'rch_01jd4ymq2ve5j8v2r0h3m6x9qb',
  balance_after: '1500.00',
  payment_method: 'pix',
  created_at: '2026-11-20T12:01:09.000Z',
};

export const recharge = {
  id: 'rch_01jd4ymq2ve5j8v2r0h3m6x9qb',
  amount: '500.00',
  currency: 'BRL',
  status: 'pending',
  payment_method: 'pix',
  created_at: '2026-11-20T12:00:31.000Z',
};

const airport = (iata_code: string, name: string, city_name: string, time_zone: string) => ({
  iata_code,
  name,
  city_name,
  iata_city_code: iata_code === 'GRU' ? 'SAO' : 'LIS',
  time_zone,
});

const carrier = { iata_code: 'TP', name: 'TAP Air Portugal' };

const passengerId = 'pas_01jd4yq9xre5j8v2r0h3m6x9qd';

const slice = {
  id: 'sli_01jd4yq9xre5j8v2r0h3m6x9qe',
  origin: airport('GRU', 'São Paulo/Guarulhos', 'São Paulo', 'America/Sao_Paulo'),
  destination: airport('LIS', 'Humberto Delgado', 'Lisbon', 'Europe/Lisbon'),
  duration: 'PT9H45M',
  segments: [
    {
      id: 'seg_01jd4yq9xre5j8v2r0h3m6x9qf',
      origin: { iata_code: 'GRU', name: 'São Paulo/Guarulhos', terminal: '3' },
      destination: { iata_code: 'LIS', name: 'Humberto Delgado', terminal: '1' },
      departing_at: '2027-01-15T16:15:00',
      arriving_at: '2027-01-16T05:00:00',
      operating_carrier: { ...carrier, logo_symbol_url: 'https://api.example.com/logos/TP.svg' },
      marketing_carrier: carrier,
      operating_carrier_flight_number: '82',
      marketing_carrier_flight_number: '82',
      aircraft: { iata_code: '339', name: 'Airbus A330-900neo' },
      duration: 'PT9H45M',
      distance: '7951.4',
      passengers: [
        {
          passenger_id: passengerId,
          cabin_class: 'economy',
          cabin_class_marketing_name: 'Economy',
          fare_basis_code: 'QLSTDOW',
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
  total_amount: '1284.55',
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
