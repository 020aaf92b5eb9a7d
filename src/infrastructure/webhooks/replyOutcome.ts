import type { Reply } from './connection.ts';
import { AttemptFailure, type AttemptOutcome, type AttemptReason, blockedAddress } from './outcome.ts';
import type { Refusal } from './target.ts';

/** What an attempt came to whose request was written. */
export function outcomeOf(reply: Reply): AttemptOutcome {
  if (reply.failure) return failed(reply.failure, reply.decidedMs);
  const { statusCode, reader, decidedMs } = reply;
  const ok = statusCode >= 200 && statusCode < 300;
  return {
    ok,
    statusCode,
    ...meaningOf(statusCode),
    durationMs: Math.round(decidedMs),
    responseExcerpt: reader.excerpt(),
  };
}

function meaningOf(statusCode: number): { reason: AttemptReason; detail: string } {
  if (statusCode === 101)
    return { reason: 'protocol_error', detail: 'the receiver switched protocols (101)' };
  if (statusCode < 300) return { reason: 'ok', detail: `answered ${statusCode}` };
  if (statusCode < 400)
    return { reason: 'redirect', detail: `answered ${statusCode}; redirects are not followed` };
  return { reason: 'http_status', detail: `answered ${statusCode}` };
}

/** The same of one that ended without a status line. */
export function failed(failure: AttemptFailure, elapsedMs: number): AttemptOutcome {
  return {
    ok: false,
    statusCode: null,
    reason: failure.reason,
    detail: failure.message,
    durationMs: Math.round(elapsedMs),
    responseExcerpt: '',
  };
}

/** The same of one whose URL is not called. */
export function refusedUrl({ reason }: Refusal): AttemptOutcome {
  const failure =
    reason === 'blocked_host'
      ? blockedAddress()
      : new AttemptFailure('invalid_url', `the URL is not acceptable (${reason})`);
  return failed(failure, 0);
}
