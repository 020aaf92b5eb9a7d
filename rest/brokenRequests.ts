import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorKind } from '../src/errors.ts';
import { AppError, invalidParameters } from '../src/errors.ts';
import { jsonContentType } from '../src/infrastructure/http/answer.ts';
import { commonHeaders } from '../src/infrastructure/http/headers.ts';
import type { Log } from '../src/infrastructure/observability/log.ts';
import { errorBody } from './envelope.ts';
import { statusOf } from './errors.ts';

function refusal(kind: ErrorKind, message: string, field: string, type: string): AppError {
  return new AppError('VALIDATION_ERROR', message, {
    kind,
    details: { field, type, errors: [{ field, type }] },
  });
}

const malformed = refusal('bad_request', invalidParameters, 'request', 'malformed');

/** By what Node.js calls them. */
const others: Readonly<Record<string, AppError>> = {
  HPE_HEADER_OVERFLOW: refusal(
    'headers_too_large',
    'Request header fields too large',
    'headers',
    'too_large',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: refusal('request_timeout', 'Request timeout', 'request', 'timeout'),
};

/**
 * How long a connection lives on behind the refusal, in milliseconds: closed at once, with bytes that nobody has read, it
 * would be reset, and its client might never see the answer.
 */
const lingerMs = 1_000;

/** The whole answer. */
function answerOf(shown: AppError, status: number, requestId: string): string {
  const body = JSON.stringify(errorBody(shown));
  const common = commonHeaders(requestId);
  const lines = common.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${common[index + 1]}`] : []));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...lines,
    `Content-Type: ${jsonContentType}`,
    'Cache-Control: no-store',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/**
 * Answers requests that Node.js cannot read, and that come past no handler, with SPEC's error body, and ends their
 * connections. The answer to a request that came whole before them is waited for: put before it, the refusal would be taken
 * for it. Where an answer has begun, or nothing came at all, there is none.
 */
export function answerBrokenRequests(server: Server, log: Log): void {
  const broken = new WeakSet<Socket>();

  const refuse = (socket: Socket, fault: string, inPlaceOf?: ServerResponse) => {
    // What has been reset, by its client for one, takes no answer. A client that connected in advance may be sending its first
    // request just now, and would take this one for its answer.
    if (!socket.writable || socket.bytesRead === 0) return void socket.destroy();
    const shown = others[fault] ?? malformed;
    const [status, requestId] = [statusOf(shown), randomUUID()];
    if (inPlaceOf) inPlaceOf.refusalStatus = status;
    socket.end(answerOf(shown, status, requestId));
    const end = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(end));
    // Never more than the name of the fault: what came may hold a key.
    log.info({ requestId, status, fault }, 'request not read');
  };

  server.on('clientError', (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket;
    // Told again with whatever else arrives: nothing of it is read.
    if (broken.has(socket)) return;
    broken.add(socket);
    const fault = error.code ?? '';
    const { underWay } = socket;
    if (!underWay) return refuse(socket, fault);
    const isWritten = underWay.headersSent && underWay.socket !== null;
    if (underWay.req.complete && !isWritten) underWay.once('close', () => refuse(socket, fault));
    else if (underWay.headersSent || underWay.socket === null) socket.destroy();
    else refuse(socket, fault, underWay);
  });
}
