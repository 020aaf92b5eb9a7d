import { LRUCache } from 'lru-cache';
import { type ParsedWebhookUrl, parseWebhookUrl } from './addressPolicy.ts';

/** Where one request goes, worked out once for each URL. */
export interface Target {
  /** Names the connections that may serve it: host and port. */
  origin: string;
  /** To resolve, or the bare address when `isAddress`. */
  hostname: string;
  isAddress: boolean;
  port: number;
  /** Value of the Host header. */
  host: string;
  /** Path and query. */
  path: string;
}

/** Judges URLs and remembers the latest verdicts. The verdict is about the text only, so it does not age. */
export function createTargets(allowPrivateHosts: boolean): (url: string) => Target | Refusal {
  const known = new LRUCache<string, Target | Refusal>({ max: 2_000 });
  return (url) => {
    let target = known.get(url);
    if (!target) {
      const parsed = parseWebhookUrl(url, { allowPrivateHosts });
      target = parsed.ok ? targetOf(parsed) : parsed;
      known.set(url, target);
    }
    return target;
  };
}

export type Refusal = Extract<ParsedWebhookUrl, { ok: false }>;

function targetOf({ url, hostname, isAddress, port }: Extract<ParsedWebhookUrl, { ok: true }>): Target {
  return {
    origin: `${hostname}|${port}`,
    hostname,
    isAddress,
    port,
    host: url.host,
    path: url.pathname + url.search,
  };
}
