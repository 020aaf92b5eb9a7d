export const passengerTypes = ['adult', 'child', 'infant_without_seat'] as const;
/** SPEC, Passenger rules: 12 or older, 2 to 11, and 0 to 1 on an adult's lap, on the day of the flight. */
export type PassengerType = (typeof passengerTypes)[number];
