import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../harness/client.ts';
import { passMonotonicTime } from '../harness/monotonicClock.ts';
import { minuteMs } from '../harness/testClock.ts';
import { agencyWith, booked, describeBookings } from './bookingSteps.ts';

describeBookings('A supplier that is away', (stage) => {
  const { airline } = stage;

  it('is told of thirty times a minute, however many orders wait, and each other fault as well', async () => {
    const { live } = await agencyWith(stage, '10000.00');
    let words = 'connect ECONNREFUSED 203.0.113.9:443';
    airline.answers.issue = async () => {
      throw new Error(words);
    };
    const askedBefore = airline.asked.length;
    const ids: string[] = [];
    for (let order = 0; order < 5; order += 1) ids.push((await booked(stage, live)).id);
    const told = () =>
      stage.server.logLines
        .filter((line) => line.includes('flight supplier did not answer an order'))
        .map((line) => JSON.parse(line));
    const untilAsked = (times: number) =>
      eventually(() => {
        stage.clock.advance(minuteMs);
        return airline.asked.length >= askedBefore + times;
      });
    await untilAsked(45);
    expect(told()).toHaveLength(30);
    expect(told()[0]).toMatchObject({
      supplier: 'airline',
      task: 'issue',
      untold: 0,
      err: { message: words },
    });
    expect(ids).toEqual(expect.arrayContaining(told().map(({ bookingId }) => bookingId)));

    words = 'fare is sold out';
    await eventually(() => {
      stage.clock.advance(minuteMs);
      return told().length > 30;
    });
    expect(told()[30]).toMatchObject({ untold: 0, err: { message: words } });

    onTestFinished(passMonotonicTime(minuteMs));
    words = 'connect ECONNREFUSED 203.0.113.9:443';
    const again = await eventually(() => {
      stage.clock.advance(minuteMs);
      return told().find(({ untold }) => untold > 0);
    });
    // All but the thirty, and those that were under way.
    expect(again.err.message).toBe(words);
    expect(again.untold).toBeGreaterThanOrEqual(45 - 30 - ids.length);
  });
});
