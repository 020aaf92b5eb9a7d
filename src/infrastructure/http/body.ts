import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import express from 'express';
import { validationError } from '../../errors.ts';
import { inReadingTurn, shortLength } from '../json/readingTurns.ts';
import { inTurnOfKey, inTurnOfStranger } from './bodyTurns.ts';

/** Largest request body, in bytes, at every door. */
export const bodyLimitBytes = 1024 * 1024;

const parseFailed = 'entity.parse.failed';

/** What cannot be decoded is refused: a passenger's name must not become one with replacement characters. */
function requireUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw Object.assign(new SyntaxError('not UTF-8'), { type: parseFailed });
}

const charsetUnsupported = 'charset.unsupported';

/**
 * JSON is written in Unicode (RFC 8259, 8.1). The decoder knows more forms, such as UTF-7 and UTF-32, and more names of
 * UTF-8, such as `utf--8`: what is wrong with the bytes of those, it replaces.
 */
const unicodeForms: ReadonlySet<string> = new Set(['utf-8', 'utf-16', 'utf-16le', 'utf-16be']);

/** The text of a body, inflated and decoded. */
const readText = express.text({
  limit: bodyLimitBytes,
  type: () => true,
  verify: (_request, _response, bytes, encoding) => {
    if (!unicodeForms.has(encoding))
      throw Object.assign(new Error('not Unicode'), { type: charsetUnsupported });
    if (encoding === 'utf-8') requireUtf8(bytes);
  },
});

const faultTypes: Readonly<Record<string, string>> = {
  'entity.too.large': 'too_large',
  [parseFailed]: 'malformed_json',
  'encoding.unsupported': 'unsupported_encoding',
  [charsetUnsupported]: 'unsupported_charset',
};

/** A body that is too large is read to its end, so that its sender sees the answer; one this large is cut off. */
const hopelessBytes = 16 * bodyLimitBytes;

function giveUpOn(request: Request, refuse: () => void): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > hopelessBytes) refuse();
  });
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether a body may have to be kept that is not short; of one that says that it is too large nothing is. */
function mayBeLong({ headers }: Request): boolean {
  if (headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined) return true;
  const bytes = Number(headers['content-length']);
  return bytes > shortLength && bytes <= bodyLimitBytes;
}

/** Some clients write utf8. The parameter is nobody's to go by (RFC 8259, 11), as long as it says what is so. */
const plainJson = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-?8"?)?$/i;

function isPlainJson({ headers }: Request): boolean {
  return plainJson.test(headers['content-type'] ?? '');
}

/** Whether a body is what nearly all are: UTF-8 of a known and acceptable length, as it is. */
function isPlain(request: Request): boolean {
  const { headers } = request;
  return (
    headers['transfer-encoding'] === undefined &&
    headers['content-encoding'] === undefined &&
    Number(headers['content-length']) <= bodyLimitBytes &&
    isPlainJson(request)
  );
}

const byteOrderMark = '\ufeff';

/** @throws AppError 400 when the text is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed();
  }
}

const malformed = () => validationError({ field: 'body', type: 'malformed_json' });

/** @throws AppError 400 when the bytes are no JSON text in UTF-8. */
function jsonOfBytes(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed();
  const text = bytes.toString();
  return jsonOf(text.startsWith(byteOrderMark) ? text.slice(1) : text);
}

/**
 * Reads a plain body, without what it takes to read any: half of the time of a small request. One that came with its
 * head, as nearly all do, is there once Node.js has gone on from that, and is taken as it is: the events of its stream
 * cost a tenth of what a server takes for a request.
 */
async function readPlainBody(request: Request, keyId: string): Promise<unknown> {
  await null;
  const isHere = request.readableLength === Number(request.headers['content-length']);
  const bytes = isHere ? (request.read() as Buffer) : await bytesOf(request);
  return inReadingTurn(keyId, bytes.length, () => jsonOfBytes(bytes));
}

/** @throws AppError 400 when the request breaks off. */
function bytesOf(request: Request): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => reject(validationError({ field: 'body', type: 'unreadable' })));
    request.on('end', () => resolve(Buffer.concat(chunks)));
  });
}

/**
 * Reads a body by one of Express's parsers.
 * @throws AppError 400 when it cannot be read, breaks off, or is larger than 1 MiB.
 */
function parseWith(parser: RequestHandler, request: Request, response: Response): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const refuse = (type: string) => {
      // What was not read must not be taken for the next request.
      if (type === 'too_large' && !response.headersSent) response.setHeader('Connection', 'close');
      reject(validationError({ field: 'body', type }));
    };
    // The parser listens to what inflates a compressed body, which hears nothing of a request that breaks off.
    request.once('error', () => refuse('unreadable'));
    parser(request, response, (error?: unknown) => {
      if (!error) return resolve();
      refuse(faultTypes[(error as { type?: string }).type ?? ''] ?? 'unreadable');
    });
    if (Number(request.headers['content-length'] ?? hopelessBytes) > bodyLimitBytes) {
      giveUpOn(request, () => refuse('too_large'));
    }
  });
}

/**
 * The JSON value of a request's body; undefined when it has none. Read only after the caller is known, so that
 * strangers cannot make the server parse.
 * @param keyId of the caller: keys take turns where long bodies come at once.
 * @throws AppError 400 for another content type, malformed JSON, or more than 1 MiB.
 */
export function readJsonBody(
  request: Request,
  response: Response,
  keyId: string,
): Promise<unknown> | undefined {
  if (!hasBody(request)) return undefined;
  const read = () =>
    isPlain(request) ? readPlainBody(request, keyId) : readAnyBody(request, response, keyId);
  return mayBeLong(request) ? inTurnOfKey(keyId, request, read) : read();
}

async function readAnyBody(request: Request, response: Response, keyId: string): Promise<unknown> {
  const { headers } = request;
  const unsupported = () => validationError({ field: 'Content-Type', type: 'unsupported' });
  const isJson = Boolean(request.is('application/json'));
  // Who streams nothing has no type to name, and whether it is nothing is known at its end.
  const mayBeNothing = headers['content-type'] === undefined && headers['transfer-encoding'] !== undefined;
  if (!isJson && !mayBeNothing) throw unsupported();
  // Express knows UTF-8 by its full name alone.
  if (isPlainJson(request)) headers['content-type'] = 'application/json';
  await parseWith(readText, request, response);
  const text = request.body as string | undefined;
  // Streams keep their request as long as they are open.
  request.body = undefined;
  // Clients that stream or compress what they send may send nothing.
  if (!text) return undefined;
  if (!isJson) throw unsupported();
  return inReadingTurn(keyId, text.length, () => jsonOf(text));
}

const parseBytes = express.raw({ limit: bodyLimitBytes, inflate: false, type: () => true });

/**
 * The bytes of a request's body as they came, for who signs them; none when it has no body.
 * @throws AppError 400 for a compressed one, or more than 1 MiB.
 */
export async function readRawBody(request: Request, response: Response): Promise<Uint8Array> {
  if (!hasBody(request)) return new Uint8Array();
  const read = () => parseWith(parseBytes, request, response);
  await (mayBeLong(request) ? inTurnOfStranger(request, read) : read());
  return request.body as Uint8Array;
}
