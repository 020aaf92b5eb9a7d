import { expect, it } from 'vitest';
import { fillLedger } from '../bench/ledger.ts';
import { walletsOf } from '../bookings/writtenBookings.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import { startTestServer } from '../harness/server.ts';

/** Every constraint and index, by name. */
const definitions = `
  SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
   WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  ORDER BY 1, 2`;

describeSeveralSessions('A long ledger of the benchmark', (engine) => {
  it('is sound, and leaves the tables as the migrations made them', async () => {
    const server = await startTestServer(engine, { settings: { ROLES: 'api' }, forgesEvents: true });
    try {
      const { teamId } = await server.createTeam();
      const { live } = await walletsOf(server, teamId);
      const before = await server.query(definitions);
      await fillLedger(server.environment.DATABASE_URL ?? '', live, { entries: 1_000, complete: true });
      expect(await server.query(definitions)).toEqual(before);
      expect(await ledgerBreaks(server.running.gateway.platform.sequelize)).toEqual([]);
      expect(await server.query('SELECT count(*)::int AS entries FROM wallet_entries')).toEqual([
        { entries: 1_000 },
      ]);
    } finally {
      await server.close();
    }
  });
});
