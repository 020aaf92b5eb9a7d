/** What the peers are told at their start. */
export interface PeerWork {
  readonly databaseUrl: string;
  readonly port: number;
  /** Wallet and team of each live key: the check from memory that the product's cached keys amount to. */
  readonly callers: ReadonlyMap<string, PeerCaller>;
}

export interface PeerCaller {
  readonly walletId: number;
  readonly teamId: string;
}

/** Connections of each peer: as many as the product's default. */
export const poolSize = 10;

export function readWork(): PeerWork {
  const { DATABASE_URL = '', PORT, CALLERS = '[]' } = process.env;
  return {
    databaseUrl: DATABASE_URL,
    port: Number(PORT),
    callers: new Map(JSON.parse(CALLERS) as [string, PeerCaller][]),
  };
}

/** Whose bearer key it is, as each peer finds out. */
export function callerOf(authorization: string | undefined, work: PeerWork): PeerCaller | undefined {
  return authorization?.startsWith('Bearer ') ? work.callers.get(authorization.slice(7)) : undefined;
}

/** "1234.50" of the digits of centavos. */
export function decimalAmount(cents: string): string {
  const padded = cents.padStart(3, '0');
  return `${padded.slice(0, -2)}.${padded.slice(-2)}`;
}
