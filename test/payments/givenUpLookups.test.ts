import { expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { dayMs } from '../harness/testClock.ts';
import { describeLookups, pauseMs } from './lookupStage.ts';

describeLookups('Notifications that make no sense, and are asked for no more', (lookups) => {
  const { clock } = lookups;

  it('are told by their number and the first fifty, however many there are', async () => {
    await lookups.answersOnce();
    const { live } = await lookups.server.createTeam();
    const paid = lookups.paid(await lookups.request(live));
    const count = 2_000;
    const nonsense = Array.from({ length: count }, (_, index) => ({
      ...paid,
      rechargeId: `nonsense-${index}`,
      providerReference: '',
    }));
    lookups.answering(async () => ({ notifications: nonsense, nextPage: null }));
    const { logLines } = lookups.server;
    const linesBefore = logLines.length;
    // Only what the provider knew two weeks before the asking is given up.
    clock.advance(15 * dayMs + pauseMs);
    const line = await eventually(() =>
      logLines.slice(linesBefore).find((text) => text.includes('asked for no more')),
    );
    const { total, faults } = JSON.parse(line);
    expect([total, faults.length]).toEqual([count, 50]);
    expect([faults[0], faults[49]]).toEqual([
      expect.stringContaining('recharge: nonsense-0,'),
      expect.stringContaining('recharge: nonsense-49,'),
    ]);
    expect(Math.max(...logLines.slice(linesBefore).map(({ length }) => length))).toBeLessThan(50_000);
  });
});
