import type { Work } from '../work.ts';
import { balance, balanceAlone } from './balance.ts';
import { bookings } from './bookings.ts';
import { flightMemory } from './flightMemory.ts';
import { flightSearch } from './flightSearch.ts';
import { hangingWebhook } from './hangingWebhook.ts';
import { longLedger } from './longLedger.ts';
import { memory } from './memory.ts';
import { recharge } from './recharge.ts';
import { scaleOut } from './scaleOut.ts';
import { start } from './start.ts';
import { subscribers } from './subscribers.ts';
import { transactions } from './transactions.ts';
import { webhookDeliveries } from './webhookDeliveries.ts';

/**
 * Everything that `npm run bench` measures, in the order of its table.
 *
 * To add a work: a file here named after what it measures, which exports a `Work` (../work.ts), and its line below.
 * - HTTP servers asked the same in turns: `contestWork({ … })`, see balance.ts. Servers that several works share are
 *   names in ../bench.ts (`ContenderName`); a peer is a program in ../peers that listens on PORT and answers GET /ready.
 * - Anything else: `{ title, takes, needs, run }` where `run(bench)` measures and returns named `figures`, each
 *   with its unit and, if there is one, its goal (`atLeast`, `atMost`, or `exactly` for counts that must be right).
 *   `bench` has servers (`product`, `peer`, `contender`), teams and keys (`world`), an empty database (`database`),
 *   the load generator (`generator.drive`) and the pace (`rounds` and `seconds` of a slice, `full`); what it started
 *   is stopped after `run`. Measure the peer in the same run, in turns, and take the median of the ratios
 *   (`median` in ../contest.ts).
 * - `needs` says what it cannot run without; it is then listed as skipped. `takes` is its share of the ten minutes:
 *   what it takes to set up, and slices × entrants for each round.
 */
export const works: readonly Work[] = [
  balance,
  balanceAlone,
  transactions,
  recharge,
  webhookDeliveries,
  hangingWebhook,
  subscribers,
  bookings,
  flightSearch,
  flightMemory,
  longLedger,
  memory,
  scaleOut,
  start,
];
