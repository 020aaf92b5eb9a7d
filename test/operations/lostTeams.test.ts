import { expect, it, onTestFinished } from 'vitest';
import { testCertificates } from '../harness/certificates.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { answer, startReceiver } from '../harness/receiver.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** What a server leaves of the latest team that takes over from one that died before it heard of it: none of it. */
async function loseTeam(server: TestServer, teamId: string): Promise<void> {
  await server.query(
    `BEGIN; SET LOCAL session_replication_role = replica;
     SELECT setval(pg_get_serial_sequence('wallets', 'id'), min(id), false) FROM wallets WHERE team_id = '${teamId}';
     DELETE FROM events WHERE team_id = '${teamId}';
     DELETE FROM wallets WHERE team_id = '${teamId}';
     DELETE FROM api_keys WHERE team_id = '${teamId}';
     DELETE FROM teams WHERE id = '${teamId}'; COMMIT`,
  );
}

describeEngines('A team that is lost with the server that knew of it', (engine) => {
  it('leaves nothing of what it asked for to the next one', async () => {
    const waiting: Array<() => void> = [];
    const receiver = await startReceiver((request, socket) =>
      waiting.push(() => answer(200)(request, socket)),
    );
    onTestFinished(() => receiver.close());
    const server = await startTestServer(engine, {
      webhookAuthority: (await testCertificates()).authority,
      settings: { ROLES: 'api', WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true', WEBHOOK_TIMEOUT: '10m' },
    });
    onTestFinished(() => server.close());
    const lost = await server.createTeam();
    const registering = server.rest('POST', '/api/v1/webhooks', {
      key: lost.live,
      body: { url: receiver.url('/lost'), events: ['wallet.recharge.pending'] },
    });
    await eventually(() => waiting.length === 1);
    await loseTeam(server, lost.teamId);
    const next = await server.createTeam();
    waiting[0]?.();
    await registering;
    const { body } = await server.rest('GET', '/api/v1/webhooks', { key: next.live });
    expect(body.data).toEqual([]);
  });
});
