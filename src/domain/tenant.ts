/**
 * Whose data: one team in one mode. What a client asks for is read and written by it; test/doors/tenants.test.ts is what
 * notices a statement that is not. `walletId` is its wallet's row, which also numbers its events.
 */
export interface Tenant {
  readonly teamId: string;
  readonly mode: Mode;
  readonly walletId: number;
}

export const modes = ['live', 'test'] as const;
export type Mode = (typeof modes)[number];
