import { durationInWords } from '../src/infrastructure/text/durationInWords.ts';

/**
 * What holds at every endpoint, in Markdown: the documentation begins with it.
 * @param idempotencyWindowMs how long an Idempotency-Key is remembered, in milliseconds
 */
export const overviewOf = (idempotencyWindowMs: number): string =>
  `Prepaid wallet, recharges, flight search, bookings and webhooks for travel agencies.

- **Keys.** \`Authorization: Bearer sk_…\`. One that begins with \`sk_live_\` acts on the agency's money, one that begins with \`sk_test_\` on its sandbox, whose balance is always 5000.00 and whose answers say so in \`_meta\`. Each operation names the scope that its key needs.
- **Answers** have \`success\` and \`data\`, lists also \`pagination\`; those of the flight search are bare. Amounts are decimal texts with two decimals, in BRL unless said; times are ISO 8601 in UTC, but for those of flights, which are local.
- **Refusals** have \`success: false\` and an \`error\` with \`code\`, \`message\` and \`details\`: of a bad request \`field\` and \`type\` of its first bad field, and all of them as \`errors\`. Each status of an operation shows every refusal that it may have.
- **Repeating.** Whatever creates something takes an \`Idempotency-Key\`: for ${durationInWords(idempotencyWindowMs)} the same request with the same key is answered as the first was. A refusal with \`Retry-After\` may be sent again as it was.
- **Limits.** For each key and minute 60 flight searches, 30 new bookings and 120 other requests, unless the service is set up otherwise: \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` say where it stands.

The same is to be had as GraphQL, with live subscriptions, at [/graphql](/graphql).`;
