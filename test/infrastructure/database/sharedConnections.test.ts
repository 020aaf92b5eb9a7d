import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { poolOf, SharedConnections } from '../../../src/infrastructure/database/sharedConnections.ts';
import { type Fate, openFaultySessions } from './faultySessions.ts';

afterEach(() => {
  vi.useRealTimers();
});

const turnOfLoop = promisify(setImmediate);

/** Has time pass, and in each of its steps what promises lead to: what Vitest has for that takes a real millisecond for each timer. */
async function pass(ms: number, step = 10): Promise<void> {
  for (let left = ms; left > 0; left -= step) {
    vi.advanceTimersByTime(Math.min(left, step));
    await turnOfLoop();
  }
}

const milliseconds = (most: number) => fc.integer({ min: 0, max: most });

const fates: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 60, arbitrary: fc.record({ outcome: fc.constant('answered' as const), ms: milliseconds(20) }) },
  { weight: 6, arbitrary: fc.record({ outcome: fc.constant('answered' as const), ms: milliseconds(3_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      outcome: fc.constantFrom('refused' as const, 'silent' as const, 'cut' as const),
      ms: milliseconds(100),
    }),
  },
);

/** What happens next, and how long nothing else does then. */
interface Happening {
  readonly what:
    | { reads: number }
    | { uses: number; ms: number }
    | { cut: number }
    | 'allFallSilent'
    | 'allWake';
  readonly ms: number;
}

const happenings: fc.Arbitrary<Happening> = fc.record({
  what: fc.oneof<fc.WeightedArbitrary<Happening['what']>[]>(
    { weight: 40, arbitrary: fc.record({ reads: fc.constantFrom(1, 1, 1, 8) }) },
    { weight: 25, arbitrary: fc.record({ uses: fc.constantFrom(1, 1, 1, 9), ms: milliseconds(400) }) },
    { weight: 6, arbitrary: fc.constant('allFallSilent' as const) },
    { weight: 2, arbitrary: fc.constant('allWake' as const) },
    { weight: 2, arbitrary: fc.record({ cut: fc.nat() }) },
  ),
  ms: fc.oneof({ weight: 6, arbitrary: milliseconds(30) }, { weight: 1, arbitrary: milliseconds(2_500) }),
});

it('sessions that reads share are given back once, owe nobody an answer then, and each read ends, whatever becomes of them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.infiniteStream(fates),
      fc.array(happenings, { minLength: 100, maxLength: 200 }),
      async (size, fateStream, whatHappens) => {
        vi.useFakeTimers({
          toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance', 'Date'],
        });
        const nextFate = () => fateStream.next().value as Fate;
        const { sequelize, faults, all, use } = openFaultySessions(size, 'readers', nextFate);
        const shared = SharedConnections.of(sequelize);
        let underWay = 0;
        let users = 0;
        const ended = () => {
          underWay -= 1;
        };
        const ask = () => {
          underWay += 1;
          shared.query({ name: 'read', text: 'SELECT', values: [] }).then(ended, ended);
        };
        const happen = (what: Happening['what']) => {
          if (what === 'allFallSilent') for (const session of all()) session.isSilent = true;
          else if (what === 'allWake') for (const session of all()) session.wake();
          else if ('cut' in what) all()[what.cut % all().length]?.cut();
          else if ('reads' in what) for (let read = 0; read < what.reads; read += 1) ask();
          else
            for (const last = users + what.uses; users < last; users += 1) void use(`user ${users}`, what.ms);
        };
        for (const { what, ms } of whatHappens) {
          happen(what);
          await pass(ms);
          if (faults.length > 0) break;
        }
        // Longer than a read that is passed on from one silent connection to the other is waited for.
        await pass(200_000, 500);
        const pool = poolOf(sequelize) as unknown as { using: number };
        vi.useRealTimers();
        expect([faults, underWay, pool.using]).toEqual([[], 0, 0]);
      },
    ),
    { numRuns: 30, endOnFailure: true },
  );
});
