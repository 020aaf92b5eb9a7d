import type { ProcessLog } from './log.ts';
import { harmless, openingOf } from './logLine.ts';

/** A request that is over. */
export interface PastRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** The endpoint that took it, as declared. */
  readonly route: string;
  /** Null for one that was not answered. */
  readonly status: number | null;
  /** From its first byte to the last of its answer. */
  readonly milliseconds: number;
  /** Whether its client left before that. */
  readonly aborted: boolean;
}

/** Writes the line of a request, at the level `debug` or `info`. */
export type RequestLog = (level: 'debug' | 'info', request: PastRequest) => void;

/**
 * The line of each request, to the letter as pino would write it: pino finds out anew what each member is, and takes a
 * twelfth of a small request for it. What must not be written has been blanked by whoever calls.
 */
export function requestLogOf(log: ProcessLog): RequestLog {
  const { destination } = log;
  const isWritten = { debug: log.isLevelEnabled('debug'), info: log.isLevelEnabled('info') };
  return (level, { requestId, method, path, route, status, milliseconds, aborted }) => {
    if (!isWritten[level]) return;
    // Ids, methods and routes have no characters that would be escaped.
    destination.write(
      `${openingOf(level)},"requestId":"${requestId}","method":"${method}","path":${harmless(JSON.stringify(path))},` +
        `"route":"${route}","status":${status},"milliseconds":${milliseconds}` +
        `${aborted ? ',"aborted":true' : ''},"msg":"request"}\n`,
    );
  };
}
