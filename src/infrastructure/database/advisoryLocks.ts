/**
 * The numbers under which processes of this product lock what is no row (pg_advisory_lock). Which they are is of no
 * importance, but that all processes, of older builds as well, ask for the same ones.
 */
export const advisoryLocks = {
  migration: 7_061_203,
  bootstrap: 7_061_204,
  registration: 7_061_205,
  /** With the hash of a key's id. Triggers share it until what they note is committed; whoever forgets the key has it alone. */
  encryptionKey: 7_061_206,
} as const;
