/**
 * Whose data: one team in one mode. Every query takes it first, so that one that is not scoped cannot be written by
 * accident. `walletId` is its wallet's row, which also numbers its events.
 */
export interface Tenant {
  readonly teamId: string;
  readonly mode: Mode;
  readonly walletId: number;
}

export const modes = ['live', 'test'] as const;
export type Mode = (typeof modes)[number];
