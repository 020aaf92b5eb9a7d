/** What a key may do (DESIGN §4, "Scopes"). New keys have all unless said. */
export const scopes = [
  'wallet:read',
  'wallet:write',
  'flights:search',
  'bookings:read',
  'bookings:write',
  'webhooks:read',
  'webhooks:write',
] as const;
export type Scope = (typeof scopes)[number];
