import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { Operator } from '../harness/operator.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** Only a server has other sessions that can hold a team; the embedded store has one. */
describeSeveralSessions('changes of one team by two operators', (engine) => {
  let server: TestServer;
  let operator: Operator;
  let other: pg.Client;
  beforeAll(async () => {
    server = await startTestServer(engine);
    operator = new Operator(server);
    other = await server.openSession();
  });
  afterAll(() => server?.close());

  const waiting = (count: number) => eventually(async () => (await lockWaits(server)) === count);

  it('come one after the other, and each is answered with what it has left', async () => {
    const present = { name: 'At first', markupPercent: '10', feeAmount: '35.00' };
    const { id } = await operator.does('createTeam', { input: present });
    await other.query('BEGIN');
    await other.query('SELECT FROM teams WHERE id = $1 FOR UPDATE', [id]);
    const first = { name: 'In the end', markupPercent: '30', feeAmount: '99.00' };
    // Its fee is the one that there is when it comes.
    const second = { markupPercent: '5', feeAmount: '35.00' };
    const dearer = operator.does('updateTeam', { id, input: first });
    await waiting(1);
    const cheaper = operator.does('updateTeam', { id, input: second });
    await waiting(2);
    await other.query('COMMIT');
    const answers = await Promise.all([dearer, cheaper]);
    expect(await operator.does('team', { id })).toMatchObject({ ...first, ...second });
    expect(answers).toMatchObject([first, { ...first, ...second }]);
  });
});
