import type { RefusalsOf } from './ledgerRefusals.ts';

const newEvent = (changes: Record<string, string>) => {
  const values = {
    sequence: '90',
    id: "'evt_new'",
    mode: 'mode',
    ...changes,
  };
  return `INSERT INTO events (wallet_id, team_id, type, subject_id, data, created_at, ${Object.keys(values)})
    SELECT id, team_id, 'wallet.low_balance', team_id, '{}', now(), ${Object.values(values)} FROM wallets
     WHERE event_count > 0 LIMIT 1`;
};

/** What the database itself refuses of events: whoever follows them counts on their numbers. */
export const eventRefusals: RefusalsOf<object> = {
  'a number that is taken': () => [newEvent({ sequence: '1' }), /events_pkey/],
  'a number before the first': () => [newEvent({ sequence: '0' }), /events_sequence_check/],
  'an id that is taken': () => [`${newEvent({})}; ${newEvent({ sequence: '91' })}`, /events_id_key/],
  'another mode': () => [newEvent({ mode: "'sandbox'" }), /events_mode_check/],
};
