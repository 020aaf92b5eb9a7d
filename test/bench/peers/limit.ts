import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import pg from 'pg';
import { newIdentifier } from '../../../src/infrastructure/identifiers/identifier.ts';
import { simulatedPaymentProvider } from '../../../src/infrastructure/payments/simulated.ts';
import type { PeerCaller } from './work.ts';
import { callerOf, decimalAmount, poolSize, readWork } from './work.ts';

/**
 * The limit of the machine: bare node:http and pg with named statements, one for each request, doing the same work with
 * no router, limits, request ids, logs or validation.
 */

const work = readWork();
const pool = new pg.Pool({ connectionString: work.databaseUrl, max: poolSize });
const provider = simulatedPaymentProvider();
const { signal } = new AbortController();

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

const balanceText =
  'SELECT id, mode, balance_cents, held_cents, last_transaction_at FROM wallets WHERE id = $1';

async function balance({ walletId }: PeerCaller): Promise<unknown> {
  const { rows } = await pool.query({ name: 'balance', text: balanceText, values: [walletId] });
  const [row] = rows;
  const cents = BigInt(row.balance_cents);
  const heldCents = BigInt(row.held_cents);
  return {
    success: true,
    data: {
      balance: decimalAmount(cents.toString()),
      currency: 'BRL',
      available_credit: decimalAmount((cents - heldCents).toString()),
      pending_amount: decimalAmount(heldCents.toString()),
      last_transaction_at: row.last_transaction_at?.toISOString() ?? null,
    },
  };
}

const totalsText = `SELECT credit_count + debit_count AS total, credit_cents, debit_cents,
   (SELECT day::text FROM wallet_days WHERE wallet_id = $1 ORDER BY day LIMIT 1) AS first_day
  FROM wallets WHERE id = $1`;
const pageText = `SELECT id, type, amount_cents, description, reference_type, reference_id, balance_after_cents,
   payment_method, created_at FROM wallet_entries WHERE wallet_id = $1 ORDER BY sequence DESC LIMIT 100`;

async function transactions({ walletId }: PeerCaller): Promise<unknown> {
  const values = [walletId];
  const [totals, page] = await Promise.all([
    pool.query({ name: 'totals', text: totalsText, values }),
    pool.query({ name: 'page', text: pageText, values }),
  ]);
  const [sums] = totals.rows;
  const total = Number(sums.total);
  return {
    success: true,
    data: {
      transactions: page.rows.map((row) => ({
        id: row.id,
        type: row.type,
        amount: decimalAmount(row.amount_cents),
        currency: 'BRL',
        description: row.description,
        reference_type: row.reference_type,
        reference_id: row.reference_id,
        balance_after: decimalAmount(row.balance_after_cents),
        payment_method: row.payment_method ?? undefined,
        created_at: row.created_at.toISOString(),
      })),
      pagination: { page: 1, limit: 100, total, pages: Math.ceil(total / 100) },
      summary: {
        total_credits: decimalAmount(sums.credit_cents),
        total_debits: decimalAmount(sums.debit_cents),
        period_start: sums.first_day,
        period_end: new Date().toISOString().slice(0, 10),
      },
    },
  };
}

/** Allowance, recharge, event and Idempotency-Key in one statement; a key that is taken is a unique violation. */
const rechargeText = `WITH allowance AS (
   INSERT INTO recharge_days AS d (wallet_id, day, requested_cents) VALUES ($2, ($6::timestamptz AT TIME ZONE 'UTC')::date, $3)
   ON CONFLICT (wallet_id, day) DO UPDATE SET requested_cents = d.requested_cents + excluded.requested_cents
     WHERE d.requested_cents + excluded.requested_cents <= 10000000 RETURNING wallet_id
 ), stream AS (
   UPDATE wallets SET event_count = event_count + 1 FROM allowance WHERE wallets.id = allowance.wallet_id
   RETURNING wallets.id, team_id, mode, event_count
 ), recharge AS (
   INSERT INTO recharges (id, wallet_id, team_id, mode, amount_cents, payment_method, status, provider, charge,
                          created_at, expires_at)
   SELECT $1, id, team_id, mode, $3, 'pix', 'pending', 'simulated', $4, $6, $7 FROM stream RETURNING id
 ), event AS (
   INSERT INTO events (wallet_id, sequence, id, team_id, mode, type, subject_id, data, created_at)
   SELECT id, event_count, $5, team_id, mode, 'wallet.recharge.pending', $1, $8::json, $6 FROM stream
 )
 INSERT INTO idempotency_keys (scope, key, fingerprint, outcome, created_at)
 SELECT $9, $10, $11, $12, $6 FROM recharge RETURNING key`;

async function recharge(caller: PeerCaller, request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const { amount } = JSON.parse(text) as { amount: string };
  const amountCents = BigInt(amount.replace('.', ''));
  const id = newIdentifier('rch');
  const createdAt = new Date();
  const expiresAt = new Date(createdAt.getTime() + 1_800_000);
  const charge = await provider.createCharge(
    {
      rechargeId: id,
      mode: 'live',
      method: 'pix',
      amountCents,
      payer: { name: 'Agência', taxId: null, address: null },
      createdAt,
      expiresAt,
    },
    { signal },
  );
  const object = { id, amount, currency: 'BRL', status: 'pending', created_at: createdAt };
  const answer = { success: true, data: { ...object, payment: { ...charge, expires_at: expiresAt } } };
  await pool.query({
    name: 'recharge',
    text: rechargeText,
    values: [
      id,
      caller.walletId,
      amountCents.toString(),
      JSON.stringify(charge),
      newIdentifier('evt'),
      createdAt,
      expiresAt,
      JSON.stringify({ object }),
      `${caller.teamId}/live`,
      request.headers['idempotency-key'],
      createHash('sha256').update(text).digest(),
      JSON.stringify(answer),
    ],
  });
  return answer;
}

createServer((request, response) => {
  if (request.url === '/ready') return send(response, 200, {});
  const caller = callerOf(request.headers.authorization, work);
  if (!caller) return send(response, 401, { success: false });
  const answered =
    request.method === 'POST'
      ? recharge(caller, request)
      : request.url === '/balance'
        ? balance(caller)
        : transactions(caller);
  answered.then(
    (body) => send(response, request.method === 'POST' ? 201 : 200, body),
    (error) => send(response, 500, { success: false, error: String(error) }),
  );
}).listen(work.port, '127.0.0.1');
