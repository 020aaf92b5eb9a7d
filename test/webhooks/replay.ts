import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { minuteMs } from '../harness/testClock.ts';
import { refusals } from './deliveryLog.ts';
import type { SendingStage } from './sendingStage.ts';

/** What is sent of all that did not arrive, as part of what is sent on purpose. */
export function describeReplay(stage: SendingStage): void {
  const { engine, clock, read, refusal } = stage;
  describe('a replay', () => {
    it('sends what failed or was skipped since a moment, oldest first, and nothing else', async () => {
      const { key, tenant } = await stage.world.team();
      const id = await stage.world.register(key, '/replay');
      stage.world.fail('/replay');
      const earlier = clock.now().toISOString();
      const tooOld = await stage.world.happens(tenant);
      clock.advance(minuteMs);
      const since = clock.now().toISOString();
      const failed = await stage.world.happens(tenant);
      await stage.world.until(id, ({ reasons }) => reasons.length === 1);
      await stage.world.change(key, id, { active: false });
      const skipped = [];
      for (let count = 0; count < 3; count += 1) {
        clock.advance(1_000);
        skipped.push(await stage.world.happens(tenant));
      }
      expect(await refusal('replay', key, { webhookId: id, since })).toEqual(refusals.inactive);
      await stage.world.change(key, id, { active: true });
      stage.world.mend('/replay');
      const delivered = await stage.world.happens(tenant);
      const arrived = () =>
        stage.world
          .received('/replay')
          .slice(2)
          .map(({ headers }) => headers['x-service-event-id']);
      await eventually(() => arrived().length === 1);
      expect(await read('replay', key, { webhookId: id, since })).toEqual({ replayed: 4 });
      await eventually(() => arrived().length === 5);
      await stage.world.swept();
      expect(arrived()[0]).toBe(delivered);
      // One webhook has several slots, so the four may overtake each other on the wire.
      expect(arrived().slice(1).sort()).toEqual([failed, ...skipped].sort());
      const left = await read('list', key, { webhookId: id, status: ['failed', 'skipped'] });
      expect(left.items.map(({ eventId }: Json) => eventId)).toEqual([tooOld]);
      expect(await read('replay', key, { webhookId: id, since })).toEqual({ replayed: 0 });
      const justAfter = earlier.replace('Z', '000001Z');
      expect(await read('replay', key, { webhookId: id, since: justAfter })).toEqual({ replayed: 0 });
      expect(await read('replay', key, { webhookId: id, since: earlier })).toEqual({ replayed: 1 });
    });

    /** A webhook with so many deliveries that were skipped, which no dispatcher looks for. */
    async function withSkipped(count: number) {
      const { key } = await stage.world.team();
      const id = await stage.world.register(key, '/many');
      await stage.world.change(key, id, { active: false });
      await stage.world.server.query(
        `INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at, body)
         SELECT $1, $1 || n, 'wallet.debit', 'skipped', $2, $2, '{}' FROM generate_series(1, $3::integer) n`,
        [id, clock.now(), count],
      );
      await stage.world.server.query(`UPDATE webhooks SET active = true WHERE id = $1`, [id]);
      stage.world.hold('/many');
      return { key, id, since: clock.now().toISOString() };
    }

    it('that another team asks for, or of a webhook that is switched off, changes nothing', async () => {
      const { key, id, since } = await withSkipped(3);
      const list = () => read('list', key, { webhookId: id });
      const { key: stranger } = await stage.world.team();
      const before = await list();
      expect(before.items.map(({ status }: Json) => status)).toEqual(['skipped', 'skipped', 'skipped']);
      expect(await refusal('replay', stranger, { webhookId: id, since })).toEqual(refusals.webhook);
      expect(await list()).toEqual(before);
      // What failed stays so: a sweep would only skip what waits.
      await stage.world.server.query(
        "UPDATE webhook_deliveries SET status = 'failed' WHERE webhook_id = $1",
        [id],
      );
      await stage.world.change(key, id, { active: false });
      expect(await refusal('replay', key, { webhookId: id, since })).toEqual(refusals.inactive);
      const after = await list();
      expect(after.items.map(({ status }: Json) => status)).toEqual(['failed', 'failed', 'failed']);
      await stage.world.remove(key, id);
      stage.world.mend('/many');
    });

    it('of more than a portion sends all of them', async () => {
      const { key, id, since } = await withSkipped(10_500);
      expect(await read('replay', key, { webhookId: id, since })).toEqual({ replayed: 10_500 });
      await stage.world.remove(key, id);
      stage.world.mend('/many');
      // That of an almost empty table would take half a minute for as many. The embedded store's one session has all.
      const kept = await stage.world.server.query(
        "SELECT name FROM pg_prepared_statements WHERE name ~ '^(replay|skip|forget)_'",
      );
      if (engine.name === 'embedded') expect(kept).toEqual([]);
    });

    it('is tried again when the database ended it for a deadlock', async () => {
      const { key, id, since } = await withSkipped(3);
      const { server } = stage.world;
      // What is drawn from a sequence stays so when what drew it is undone.
      await server.query('CREATE SEQUENCE replay_tries');
      onTestFinished(async () => {
        await server.query('DROP FUNCTION IF EXISTS end_first_replay CASCADE');
        await server.query('DROP SEQUENCE replay_tries');
      });
      await server.query(
        `CREATE FUNCTION end_first_replay() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF nextval('replay_tries') = 1 THEN RAISE EXCEPTION USING ERRCODE = 'deadlock_detected'; END IF;
           RETURN NEW;
         END $$`,
      );
      await server.query(
        `CREATE TRIGGER end_first_replay BEFORE UPDATE ON webhook_deliveries
           FOR EACH ROW WHEN (OLD.webhook_id = '${id}') EXECUTE FUNCTION end_first_replay()`,
      );
      expect(await read('replay', key, { webhookId: id, since })).toEqual({ replayed: 3 });
      expect(await server.query('SELECT FROM replay_tries WHERE last_value > 3')).toHaveLength(1);
      await stage.world.remove(key, id);
      stage.world.mend('/many');
    });

    if (engine.name !== 'embedded') {
      it('has sent each portion, whatever holds up the next', async () => {
        const { key, id, since } = await withSkipped(10_500);
        const other = new pg.Client({ connectionString: stage.world.server.environment.DATABASE_URL });
        await other.connect();
        await other.query('BEGIN');
        await other.query('SELECT FROM webhook_deliveries WHERE event_id = $1 FOR UPDATE', [`${id}10500`]);
        const replayed = read('replay', key, { webhookId: id, since });
        await eventually(async () => {
          const [row] = await stage.world.server.query<{ count: number }>(
            `SELECT count(*)::integer AS count FROM webhook_deliveries WHERE webhook_id = $1 AND status <> 'skipped'`,
            [id],
          );
          return row?.count === 10_000;
        });
        await other.query('ROLLBACK');
        await other.end();
        expect(await replayed).toEqual({ replayed: 10_500 });
        await stage.world.remove(key, id);
        stage.world.mend('/many');
      });

      it('leaves what arrived while it waited', async () => {
        const { key, id, since } = await withSkipped(3);
        const other = await stage.world.server.openSession();
        await other.query('BEGIN');
        await other.query("UPDATE webhook_deliveries SET status = 'delivered' WHERE event_id = $1", [
          `${id}2`,
        ]);
        const replayed = read('replay', key, { webhookId: id, since });
        await eventually(async () => (await lockWaits(stage.world.server)) === 1);
        await other.query('COMMIT');
        expect(await replayed).toEqual({ replayed: 2 });
        const delivered = await read('list', key, { webhookId: id, status: ['delivered'] });
        expect(delivered.items.map(({ eventId }: Json) => eventId)).toEqual([`${id}2`]);
        await stage.world.remove(key, id);
        stage.world.mend('/many');
      });
    }
  });
}
