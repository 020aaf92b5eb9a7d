import type { Caller } from './teams/access.ts';

/** Stands on every body in test mode (SPEC, "What the service does", 6). */
export const testModeNotice = {
  test_mode: true,
  message: 'Test mode: the balance is fictitious and no real charge or booking is made.',
} as const;

/** The notice for a caller in test mode, or null. */
export function noticeFor(caller: Pick<Caller, 'kind'> | null): typeof testModeNotice | null {
  return caller?.kind === 'test' ? testModeNotice : null;
}
