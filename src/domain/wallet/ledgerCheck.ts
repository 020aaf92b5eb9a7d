/** One invariant of the ledger, proved from the rows themselves by one statement that only reads. */
export interface LedgerCheck {
  /** What holds, in words. */
  readonly name: string;
  /**
   * Answers with no row when the invariant holds, otherwise with one, the first that breaks it, told in its column
   * `break`. It must stream: sorts and joins may spill to disk, nothing may gather a wallet's entries in memory.
   */
  readonly sql: string;
}
