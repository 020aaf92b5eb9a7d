import { createHash } from 'node:crypto';
import type { Request } from 'express';
import express from 'express';
import { newIdentifier } from '../../../src/infrastructure/identifiers/identifier.ts';
import { simulatedPaymentProvider } from '../../../src/infrastructure/payments/simulated.ts';
import {
  Entry,
  Event,
  IdempotencyKey,
  Recharge,
  RechargeDay,
  sequelize,
  Team,
  Wallet,
  work,
} from './models.ts';
import type { PeerCaller } from './work.ts';
import { callerOf, decimalAmount } from './work.ts';

/**
 * What a careful engineer writes by hand in an afternoon: Express 5 and Sequelize models on the same tables, in managed
 * transactions where it writes; no limits, request ids or logs.
 */

const provider = simulatedPaymentProvider();
const { signal } = new AbortController();

const application = express();
application.get('/ready', (_request, response) => void response.json({}));

declare module 'http' {
  interface IncomingMessage {
    caller?: PeerCaller;
  }
}

application.use((request, response, next) => {
  const caller = callerOf(request.headers.authorization, work);
  if (!caller) return void response.status(401).json({ success: false });
  request.caller = caller;
  next();
});
application.use(express.json());

const callerIn = (request: Request) => request.caller as PeerCaller;

application.get('/balance', async (request, response) => {
  const wallet = await Wallet.findByPk(callerIn(request).walletId, { rejectOnEmpty: true });
  response.json({
    success: true,
    data: {
      balance: decimalAmount(wallet.balanceCents),
      currency: 'BRL',
      available_credit: decimalAmount((BigInt(wallet.balanceCents) - BigInt(wallet.heldCents)).toString()),
      pending_amount: decimalAmount(wallet.heldCents),
      last_transaction_at: wallet.lastTransactionAt?.toISOString() ?? null,
    },
  });
});

/** Without the summary, whose sums over the whole ledger would cost it far more. */
application.get('/transactions', async (request, response) => {
  const { rows, count } = await Entry.findAndCountAll({
    where: { walletId: callerIn(request).walletId },
    order: [['sequence', 'DESC']],
    limit: 100,
    offset: 0,
  });
  response.json({
    success: true,
    data: {
      transactions: rows.map((entry) => ({
        id: entry.id,
        type: entry.type,
        amount: decimalAmount(entry.amountCents),
        currency: 'BRL',
        description: entry.description,
        reference_type: entry.referenceType,
        reference_id: entry.referenceId,
        balance_after: decimalAmount(entry.balanceAfterCents),
        payment_method: entry.paymentMethod ?? undefined,
        created_at: entry.createdAt.toISOString(),
      })),
      pagination: { page: 1, limit: 100, total: count, pages: Math.ceil(count / 100) },
    },
  });
});

application.post('/recharges', async (request, response) => {
  const { walletId, teamId } = callerIn(request);
  const { amount } = request.body as { amount: string };
  const key = request.header('idempotency-key') ?? '';
  const team = await Team.findByPk(teamId, { rejectOnEmpty: true });
  const id = newIdentifier('rch');
  const createdAt = new Date();
  const expiresAt = new Date(createdAt.getTime() + 1_800_000);
  const amountCents = BigInt(amount.replace('.', ''));
  const charge = await provider.createCharge(
    {
      rechargeId: id,
      mode: 'live',
      method: 'pix',
      amountCents,
      payer: { name: team.name, taxId: null, address: null },
      createdAt,
      expiresAt,
    },
    { signal },
  );
  const scope = `${teamId}/live`;
  const day = createdAt.toISOString().slice(0, 10);
  const outcome = await sequelize.transaction(async (transaction) => {
    const known = await IdempotencyKey.findOne({ where: { scope, key }, transaction });
    if (known) return known.get('outcome') as string;
    const wallet = await Wallet.findByPk(walletId, { transaction, lock: true, rejectOnEmpty: true });
    const allowance = await RechargeDay.findOne({ where: { walletId, day }, transaction });
    const sum = BigInt(allowance?.requestedCents ?? 0) + amountCents;
    if (sum > 10_000_000n) throw new Error('Daily limit exceeded');
    const requestedCents = sum.toString();
    if (allowance) await allowance.update({ requestedCents }, { transaction });
    else await RechargeDay.create({ walletId, day, requestedCents }, { transaction });
    const common = { walletId, teamId, mode: 'live', createdAt };
    const terms = { amountCents: amountCents.toString(), paymentMethod: 'pix', status: 'pending' };
    await Recharge.create(
      { ...common, ...terms, id, provider: 'simulated', charge, expiresAt },
      { transaction },
    );
    const sequence = (BigInt(wallet.eventCount) + 1n).toString();
    await wallet.update({ eventCount: sequence }, { transaction });
    const object = { id, amount, currency: 'BRL', status: 'pending', created_at: createdAt };
    const type = 'wallet.recharge.pending';
    await Event.create(
      { ...common, sequence, id: newIdentifier('evt'), type, subjectId: id, data: { object } },
      { transaction },
    );
    const text = JSON.stringify({ ...object, payment: { ...charge, expires_at: expiresAt } });
    const fingerprint = createHash('sha256').update(JSON.stringify(request.body)).digest();
    await IdempotencyKey.create({ scope, key, fingerprint, outcome: text, createdAt }, { transaction });
    return text;
  });
  response.status(201).json({ success: true, data: JSON.parse(outcome) });
});

application.listen(work.port, '127.0.0.1');
