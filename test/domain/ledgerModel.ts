import { formatAmount, parseAmount } from '../../src/domain/money.ts';
import type { Answer } from './ledgerDoors.ts';

/** What the wallet and its recharges should do, in plain code: SPEC's table of transitions and its limits. */

interface ModelRecharge {
  amountCents: bigint;
  status: 'pending' | 'completed' | 'expired' | 'failed' | 'cancelled';
  day: string;
  createdAtMs: number;
  expiresAtMs: number;
}

/** A team's wallet in one mode. */
export interface ModelWallet {
  mode: 'live' | 'test';
  recharges: Map<string, ModelRecharge>;
  /** Each debit that was made, in centavos. */
  debits: bigint[];
}

export const emptyWallet = (mode: 'live' | 'test'): ModelWallet => ({
  mode,
  recharges: new Map(),
  debits: [],
});

/** A call that was made, or what a sweep may have done, which nobody answered. */
export type Operation =
  | { kind: 'create'; amount: string }
  | { kind: 'read'; id: string }
  | { kind: 'pay'; id: string; paidAtMs: number }
  | { kind: 'cancelled' | 'expired' | 'failed'; id: string }
  | { kind: 'sweep'; id: string }
  | { kind: 'debit'; amountCents: bigint }
  | { kind: 'balance' }
  | { kind: 'list' };

export interface Happening {
  operation: Operation;
  /** Null for a sweep. */
  answer: Answer | null;
}

const dailyCents = 100_000_00n;

/** Credits less debits; that of a test wallet stands still. */
export function balanceCents(wallet: ModelWallet): bigint {
  return wallet.mode === 'test' ? 5_000_00n : creditCents(wallet) - debitCents(wallet);
}

function creditCents({ recharges }: ModelWallet): bigint {
  return [...recharges.values()]
    .filter((recharge) => recharge.status === 'completed')
    .reduce((sum, recharge) => sum + recharge.amountCents, 0n);
}

function debitCents({ debits }: ModelWallet): bigint {
  return debits.reduce((sum, cents) => sum + cents, 0n);
}

export function completedIds(wallet: ModelWallet): string[] {
  return [...wallet.recharges].filter(([, { status }]) => status === 'completed').map(([id]) => id);
}

function requestedCents(wallet: ModelWallet, day: string): bigint {
  return [...wallet.recharges.values()]
    .filter(({ status, ...recharge }) => recharge.day === day && /pending|completed/.test(status))
    .reduce((sum, recharge) => sum + recharge.amountCents, 0n);
}

const refused = (answer: Answer | null, code: string, message: string) =>
  answer?.refusal?.code === code && answer.refusal.message === message;

const changed = (wallet: ModelWallet, id: string, recharge: ModelRecharge): ModelWallet => ({
  ...wallet,
  recharges: new Map(wallet.recharges).set(id, recharge),
});

function create(wallet: ModelWallet, amount: string, answer: Answer | null, nowMs: number) {
  const amountCents = parseAmount(amount) ?? 0n;
  const refusal = (message: string) => (refused(answer, 'VALIDATION_ERROR', message) ? wallet : null);
  if (amountCents < 100_00n) return refusal('Minimum amount is R$ 100.00');
  if (amountCents > 50_000_00n) return refusal('Maximum amount is R$ 50000.00');
  const day = new Date(nowMs).toISOString().slice(0, 10);
  if (requestedCents(wallet, day) + amountCents > dailyCents) return refusal('Daily limit exceeded');
  const value = answer?.value;
  if (value?.status !== 'pending' || value.amount !== formatAmount(amountCents)) return null;
  if (Date.parse(value.created_at) !== nowMs || wallet.recharges.has(value.id)) return null;
  const expiresAtMs = Date.parse(value.payment.expires_at);
  return changed(wallet, value.id, { amountCents, status: 'pending', day, createdAtMs: nowMs, expiresAtMs });
}

function end(wallet: ModelWallet, id: string, ending: ModelRecharge['status'], answer: Answer | null) {
  const recharge = wallet.recharges.get(id);
  if (!recharge) return refused(answer, 'NOT_FOUND', 'Recharge not found') ? wallet : null;
  if (recharge.status !== 'pending') {
    return refused(answer, 'VALIDATION_ERROR', `Recharge already ${recharge.status}`) ? wallet : null;
  }
  return answer?.value?.status === ending ? changed(wallet, id, { ...recharge, status: ending }) : null;
}

function pay(wallet: ModelWallet, id: string, paidAtMs: number, answer: Answer | null) {
  const recharge = wallet.recharges.get(id);
  if (!recharge) return refused(answer, 'NOT_FOUND', 'Recharge not found') ? wallet : null;
  const { status, expiresAtMs } = recharge;
  const payable = (status === 'pending' || status === 'expired') && paidAtMs < expiresAtMs;
  if (status !== 'completed' && !payable) {
    const state = status === 'pending' ? 'expired' : status;
    return refused(answer, 'VALIDATION_ERROR', `Recharge already ${state}`) ? wallet : null;
  }
  if (answer?.value?.status !== 'completed' || !answer.value.transaction_id) return null;
  return changed(wallet, id, { ...recharge, status: 'completed' });
}

function read(wallet: ModelWallet, id: string, answer: Answer | null) {
  const recharge = wallet.recharges.get(id);
  if (!recharge) return refused(answer, 'NOT_FOUND', 'Recharge not found') ? wallet : null;
  return answer?.value?.status === recharge.status &&
    answer.value.amount === formatAmount(recharge.amountCents)
    ? wallet
    : null;
}

function readBalance(wallet: ModelWallet, answer: Answer | null) {
  const balance = formatAmount(balanceCents(wallet));
  const { value } = answer ?? {};
  return value?.balance === balance && value.available_credit === balance && value.pending_amount === '0.00'
    ? wallet
    : null;
}

function debit(wallet: ModelWallet, amountCents: bigint, answer: Answer | null) {
  if (wallet.mode === 'live' && amountCents > balanceCents(wallet)) {
    return answer?.refusal?.code === 'INSUFFICIENT_BALANCE' ? wallet : null;
  }
  return answer?.value ? { ...wallet, debits: [...wallet.debits, amountCents] } : null;
}

/** The first page of the whole list, unfiltered. */
function list(wallet: ModelWallet, answer: Answer | null) {
  const { transactions, pagination, summary } = answer?.value ?? {};
  const count = completedIds(wallet).length + wallet.debits.length;
  const newest = transactions?.[0]?.balance_after;
  return pagination?.total === count &&
    summary.total_credits === formatAmount(creditCents(wallet)) &&
    summary.total_debits === formatAmount(debitCents(wallet)) &&
    (newest === undefined ? count === 0 : newest === formatAmount(balanceCents(wallet)))
    ? wallet
    : null;
}

/** The wallet after an operation; null when the operation would have been answered otherwise. */
function apply(wallet: ModelWallet, { operation, answer }: Happening, nowMs: number): ModelWallet | null {
  switch (operation.kind) {
    case 'create':
      return create(wallet, operation.amount, answer, nowMs);
    case 'read':
      return read(wallet, operation.id, answer);
    case 'pay':
      return pay(wallet, operation.id, operation.paidAtMs, answer);
    case 'balance':
      return readBalance(wallet, answer);
    case 'list':
      return list(wallet, answer);
    case 'debit':
      return debit(wallet, operation.amountCents, answer);
    case 'sweep': {
      const recharge = wallet.recharges.get(operation.id);
      const overdue = recharge?.status === 'pending' && recharge.expiresAtMs <= nowMs;
      return overdue ? changed(wallet, operation.id, { ...recharge, status: 'expired' }) : wallet;
    }
    default:
      return end(wallet, operation.id, operation.kind, answer);
  }
}

/**
 * The wallet after operations that were under way together: in some order each of them, alone, would have answered what
 * it did. Null when there is no such order, that is when what was answered cannot be explained.
 */
export function explain(wallet: ModelWallet, happenings: Happening[], nowMs: number): ModelWallet | null {
  if (happenings.length === 0) return wallet;
  for (const [index, happening] of happenings.entries()) {
    const next = apply(wallet, happening, nowMs);
    const after = next && explain(next, happenings.toSpliced(index, 1), nowMs);
    // What changes nothing stands first in some order if it stands anywhere.
    if (after || next === wallet) return after;
  }
  return null;
}

/** Recharges that a sweep has to expire. */
export function overdueIds(wallet: ModelWallet, nowMs: number): string[] {
  return [...wallet.recharges]
    .filter(([, { status, expiresAtMs }]) => status === 'pending' && expiresAtMs <= nowMs)
    .map(([id]) => id);
}
