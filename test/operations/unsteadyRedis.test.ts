import { describe, expect, it, onTestFinished } from 'vitest';
import { startBreakingLink } from '../harness/breakingLink.ts';
import { eventually } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import { passMonotonicTime } from '../harness/monotonicClock.ts';
import { startTestServer } from '../harness/server.ts';
import { minuteMs } from '../harness/testClock.ts';

const engine = realEngine();

describe.runIf(engine)('A Redis that is lost again and again', () => {
  it('is told of ten times a minute, then with how many losses went untold, and once it is lost for longer', async () => {
    const link = await startBreakingLink(new URL(process.env.TEST_REDIS_URL ?? ''));
    onTestFinished(() => link.close());
    const server = await startTestServer(engine!, { settings: { REDIS_URL: link.url } });
    onTestFinished(() => server.close());
    const { signals } = server.running.gateway.platform;
    const answers = () =>
      signals.check().then(
        () => true,
        () => false,
      );
    const told = () =>
      server.logLines
        .map((line) => JSON.parse(line))
        .filter(({ connection }) => connection === 'subscriber')
        .map(({ msg, untold = 0 }) => [msg, untold]);
    const lost = (untold = 0) => ['redis unavailable: tables are looked at in intervals', untold];
    const back = ['redis is back', 0];
    const loseAndRegain = async () => {
      link.break();
      link.mend();
      // Nothing that was asked before the loss is answered any more.
      await eventually(answers);
    };

    await eventually(answers);
    for (let loss = 0; loss < 13; loss += 1) await loseAndRegain();
    const ten = Array.from({ length: 10 }, () => [lost(), back]).flat();
    expect(told()).toEqual(ten);

    // Lost for so long that the minute is over.
    link.break();
    const minutePassed = passMonotonicTime(minuteMs);
    onTestFinished(minutePassed);
    await eventually(() => told().length > ten.length);
    link.mend();
    await eventually(answers);
    expect(told().slice(ten.length)).toEqual([lost(3), back]);
    await loseAndRegain();
    expect(told().slice(ten.length + 2)).toEqual([lost(), back]);
  });
});
