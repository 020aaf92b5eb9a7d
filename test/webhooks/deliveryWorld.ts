import { SMTPServer } from 'smtp-server';
import { onTestFinished } from 'vitest';
import { eventCatalogue } from '../../src/domain/events/catalogue.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import { recordExample, tenantOf } from '../harness/activity.ts';
import { testCertificates } from '../harness/certificates.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import type { Engine } from '../harness/engines.ts';
import type { ReceivedRequest, Receiver } from '../harness/receiver.ts';
import { answer, startReceiver } from '../harness/receiver.ts';
import type { TestServer, TestServerOptions } from '../harness/server.ts';
import { startTestServer, sweepingOften } from '../harness/server.ts';
import { sweptTwice } from '../harness/sweeps.ts';

/** A server with a real receiver and a real mail server, and what the tests of deliveries ask of them. */

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** An SMTP server that keeps what it gets. */
export async function startMailServer() {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      let text = '';
      stream.on('data', (chunk) => {
        text += chunk;
      });
      stream.on('end', () => {
        mails.push(text);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as { port: number };
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** One delivery, with its attempts in order. */
export interface StoredDelivery {
  id: string;
  event_id: string;
  status: string;
  attempt_count: number;
  due_at: Date;
  reasons: string[];
}

export class DeliveryWorld {
  readonly mail: MailServer;
  readonly receiver: Receiver;
  readonly server: TestServer;
  readonly #failing = new Set<string>();
  readonly #held = new Set<string>();

  private constructor(mail: DeliveryWorld['mail'], receiver: Receiver, server: TestServer) {
    this.mail = mail;
    this.receiver = receiver;
    this.server = server;
    this.useBehaviours();
  }

  /** Has the receiver do as `fail`, `hold` and `mend` say. */
  useBehaviours(): void {
    this.receiver.behave((request, socket) => {
      if (this.#held.has(request.path)) return;
      answer(this.#failing.has(request.path) ? 500 : 200)(request, socket);
    });
  }

  static async open(
    engine: Engine,
    { settings, ...overrides }: Pick<TestServerOptions, 'clock' | 'redisPatienceMs' | 'settings'> = {},
  ) {
    const mail = await startMailServer();
    const receiver = await startReceiver(answer(200));
    const server = await startTestServer(engine, {
      ...overrides,
      webhookAuthority: (await testCertificates()).authority,
      settings: { ...sweepingOften, WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true', SMTP_URL: mail.url, ...settings },
    });
    return new DeliveryWorld(mail, receiver, server);
  }

  async close(): Promise<void> {
    // First: an attempt that it does not answer, as where a test has failed, would be waited for.
    await this.receiver.close();
    await this.server.close();
    await this.mail.close();
  }

  /** A team of its own, with the key and the tenant of its sandbox. */
  async team(): Promise<{ key: string; tenant: Tenant }> {
    const { teamId, test } = await this.server.createTeam({ alertEmail: 'alerts@agency.example.com' });
    return { key: test, tenant: await tenantOf(this.server, teamId, 'test') };
  }

  /** Registers a webhook for debits. @returns its id. */
  async register(key: string, path: string, url = this.receiver.url(path)): Promise<string> {
    const body = { url, events: ['wallet.debit'] };
    const created = await this.server.rest('POST', '/api/v1/webhooks', { key, body });
    if (created.status !== 201) throw new Error(created.text);
    return created.body.data.id;
  }

  /** As the list shows it. */
  async webhook(key: string, id: string): Promise<Json> {
    const { body } = await this.server.rest('GET', '/api/v1/webhooks?limit=100', { key });
    return body.data.find((webhook: Json) => webhook.id === id);
  }

  change(key: string, id: string, body: object) {
    return this.server.rest('PUT', `/api/v1/webhooks/${id}`, { key, body });
  }

  remove(key: string, id: string) {
    return this.server.rest('DELETE', `/api/v1/webhooks/${id}`, { key });
  }

  /** Something happens that debit webhooks are told of. @returns the event's id. */
  happens(tenant: Tenant): Promise<string> {
    return recordExample(this.server, tenant, 'wallet.debit', 'ord_0');
  }

  /** Waiting deliveries as events would leave them, of events that stand in the table. */
  async pileUp(webhookId: string, tenant: Tenant, count: number): Promise<void> {
    await this.server.query(
      `WITH stream AS (
         UPDATE wallets SET event_count = event_count + $3 WHERE id = $2 RETURNING id, team_id, mode, event_count
       ), event AS (
         INSERT INTO events (wallet_id, sequence, id, team_id, mode, type, subject_id, data, created_at)
         SELECT id, event_count - $3 + n, 'evt_' || id || '_' || (event_count - $3 + n), team_id, mode, 'wallet.debit',
                'ord_0', $5::json, $4::timestamptz
           FROM stream, generate_series(1, $3::integer) n RETURNING id, type, created_at
       )
       INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at)
       SELECT $1, id, type, 'pending', created_at, created_at FROM event`,
      [webhookId, tenant.walletId, count, new Date(), JSON.stringify(eventCatalogue['wallet.debit'].example)],
    );
  }

  /**
   * Has the database take no attempts that do not pass a check, as a disk that is full would: takings and leases change rows
   * that are there. The end of the test ends that. @returns what ends it before.
   */
  async refuseAttempts(check = 'number < 0'): Promise<() => Promise<void>> {
    const acceptAgain = async () => {
      await this.server.query('ALTER TABLE webhook_attempts DROP CONSTRAINT IF EXISTS full_disk');
    };
    onTestFinished(acceptAgain);
    await this.server.query(
      `ALTER TABLE webhook_attempts ADD CONSTRAINT full_disk CHECK (${check}) NOT VALID`,
    );
    return acceptAgain;
  }

  /** Requests to a path, except for those that asked whether it is reachable. */
  received(path: string): ReceivedRequest[] {
    return this.receiver.requests.filter((request) => request.path === path && request.method === 'POST');
  }

  /** From the next request on, a path answers 500. */
  fail(path: string): void {
    this.#failing.add(path);
  }

  /** From the next request on, a path does not answer. */
  hold(path: string): void {
    this.#held.add(path);
  }

  /** From the next request on, a path answers 200. */
  mend(path: string): void {
    this.#failing.delete(path);
    this.#held.delete(path);
  }

  deliveries(webhookId: string): Promise<StoredDelivery[]> {
    return this.server.query<StoredDelivery>(
      `SELECT d.id, d.event_id, d.status, d.attempt_count, d.due_at,
              coalesce((SELECT json_agg(a.reason ORDER BY a.number) FROM webhook_attempts a
                         WHERE a.delivery_id = d.id), '[]') AS reasons
         FROM webhook_deliveries d WHERE d.webhook_id = $1 ORDER BY d.id`,
      [webhookId],
    );
  }

  /** Resolves with the deliveries once all of them are as expected. */
  until(webhookId: string, expected: (delivery: StoredDelivery) => boolean): Promise<StoredDelivery[]> {
    return eventually(async () => {
      const deliveries = await this.deliveries(webhookId);
      return deliveries.length > 0 && deliveries.every(expected) && deliveries;
    });
  }

  /** Resolves after two more sweeps: whatever was due when this was called has been found by then. */
  swept(): Promise<void> {
    return sweptTwice(this.server.url, 'webhooks');
  }
}
