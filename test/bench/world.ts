import type { PeerCaller } from './peers/work.ts';
import { administer } from './place.ts';

/** Teams, keys and ledgers for the measurements, the same for the product and its peers. */
export interface World {
  /** Live keys, one of each team. */
  readonly liveKeys: readonly string[];
  /** A key whose ledger has pages of 100 entries. */
  readonly ledgerKeys: readonly string[];
  /** What peers know of each live key. */
  readonly callers: [string, PeerCaller][];
  /** Gives every wallet its daily recharge allowance back. */
  renewAllowances(): Promise<void>;
}

export const operatorKey = 'sk_admin_bench-operator-key';

const teamCount = 48;
const entryCount = 1_000;

async function graphql<Data>(url: string, key: string, query: string, variables: object): Promise<Data> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
  if (errors) throw new Error(`seeding: ${JSON.stringify(errors)}`);
  return data;
}

/** A team with a live key, made through the product at `url`. */
export async function createAgency(url: string, name: string): Promise<{ teamId: string; key: string }> {
  const teamId = await createTeam(url, name);
  return { teamId, key: await createKey(url, teamId, 'live') };
}

async function createKey(url: string, teamId: string, kind: 'live' | 'test'): Promise<string> {
  const { createApiKey } = await graphql<{ createApiKey: { secret: string } }>(
    url,
    operatorKey,
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }',
    { input: { teamId, kind, name: 'bench' } },
  );
  return createApiKey.secret;
}

async function createTeam(url: string, name: string): Promise<string> {
  const { createTeam: team } = await graphql<{ createTeam: { id: string } }>(
    url,
    operatorKey,
    'mutation ($input: CreateTeamInput!) { createTeam(input: $input) { id } }',
    { input: { name } },
  );
  return team.id;
}

/** Credits of 100.00 and debits of 10.00 in turn, over a month, in every live wallet. */
const fillLedgers = `
  CREATE TEMPORARY TABLE entry AS
  SELECT w.id AS wallet_id, n, (n + 1) / 2 AS credits, n / 2 AS debits, n % 2 = 1 AS is_credit,
         date_trunc('milliseconds', now()) - (${entryCount} - n) * interval '43 minutes' AS at
    FROM wallets w, generate_series(1, ${entryCount}) n WHERE w.mode = 'live';
  INSERT INTO wallet_entries (wallet_id, sequence, type, type_sequence, id, amount_cents, balance_after_cents,
                              description, reference_type, reference_id, payment_method, created_at)
  SELECT wallet_id, n, CASE WHEN is_credit THEN 'credit' ELSE 'debit' END,
         CASE WHEN is_credit THEN credits ELSE debits END,
         'txn_' || substr(md5(wallet_id || '/' || n), 1, 26), CASE WHEN is_credit THEN 10000 ELSE 1000 END,
         credits * 10000 - debits * 1000, CASE WHEN is_credit THEN 'Wallet recharge' ELSE 'Flight booking' END,
         CASE WHEN is_credit THEN 'recharge' ELSE 'booking' END, 'ref_' || substr(md5(n::text), 1, 26),
         CASE WHEN is_credit THEN 'pix' END, at
    FROM entry;
  INSERT INTO wallet_days (wallet_id, day, credit_count, debit_count, credit_cents, debit_cents)
  SELECT DISTINCT ON (wallet_id, day) wallet_id, (at AT TIME ZONE 'UTC')::date AS day, credits, debits,
         credits * 10000, debits * 1000
    FROM entry ORDER BY wallet_id, day, n DESC;
  UPDATE wallets w SET balance_cents = e.credits * 10000 - e.debits * 1000, credit_count = e.credits,
         debit_count = e.debits, credit_cents = e.credits * 10000, debit_cents = e.debits * 1000,
         last_transaction_at = e.at
    FROM entry e WHERE e.wallet_id = w.id AND e.n = ${entryCount};
  DROP TABLE entry;
  ANALYZE;`;

/** The live wallet of a team. */
export async function walletOf(databaseUrl: string, teamId: string): Promise<number> {
  const text = `SELECT id FROM wallets WHERE team_id = $1 AND mode = 'live'`;
  const [wallet] = (await administer(databaseUrl, text, [teamId])) as { id: number }[];
  if (!wallet) throw new Error(`team ${teamId} has no wallet`);
  return wallet.id;
}

/** Fills a migrated database through a running product, and the ledgers by SQL. */
export async function createWorld(url: string, databaseUrl: string): Promise<World> {
  const callers: [string, PeerCaller][] = [];
  for (let index = 0; index < teamCount; index += 1) {
    const { teamId, key } = await createAgency(url, `Agência ${index + 1}`);
    callers.push([key, { walletId: await walletOf(databaseUrl, teamId), teamId }]);
  }
  await administer(databaseUrl, fillLedgers);
  const liveKeys = callers.map(([key]) => key);
  return {
    liveKeys,
    ledgerKeys: liveKeys,
    callers,
    renewAllowances: async () => void (await administer(databaseUrl, 'DELETE FROM recharge_days')),
  };
}

/** The same through the doors only, for the embedded store: a ledger of 100 entries in test mode. */
export async function createEmbeddedWorld(url: string): Promise<World> {
  const liveKeys: string[] = [];
  let teamId = '';
  for (let index = 0; index < teamCount; index += 1) {
    teamId = await createTeam(url, `Agência ${index + 1}`);
    liveKeys.push(await createKey(url, teamId, 'live'));
  }
  const testKey = await createKey(url, teamId, 'test');
  for (let index = 0; index < 100; index += 1) {
    const { createRecharge } = await graphql<{ createRecharge: { id: string } }>(
      url,
      testKey,
      'mutation { createRecharge(amount: "100.00", currency: BRL, paymentMethod: pix) { id } }',
      {},
    );
    const pay = 'mutation ($id: String!) { payTestRecharge(id: $id) { id } }';
    await graphql(url, testKey, pay, createRecharge);
  }
  return { liveKeys, ledgerKeys: [testKey], callers: [], renewAllowances: async () => undefined };
}
