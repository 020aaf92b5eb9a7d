import { hash, randomBytes } from 'node:crypto';
import type { KeyKind } from './apiKey.ts';

const prefixes: Record<KeyKind, string> = { live: 'sk_live_', test: 'sk_test_', operator: 'sk_admin_' };

/** Ours are base64url; keys that an operator chose may be in either base64. */
const keyPattern = /^sk_(live|test|admin)_[A-Za-z0-9_+/=-]{8,128}$/;

/** A new bearer key with 256 random bits. */
export function newSecretKey(kind: KeyKind): string {
  return prefixes[kind] + randomBytes(32).toString('base64url');
}

/** Whether text could be a key at all; anything else is refused without a look-up. */
export function looksLikeSecretKey(text: string): boolean {
  return keyPattern.test(text);
}

/** Hexadecimal SHA-256, the only form in which keys are stored and cached. */
export function hashSecretKey(key: string): string {
  return hash('sha256', key, 'hex');
}
