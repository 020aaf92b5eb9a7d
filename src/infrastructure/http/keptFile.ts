import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Request, Response } from 'express';

/** A file as clients are sent it. */
interface KeptFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly modified: Date;
}

/**
 * Reads a file for its first reader, and keeps it: all are sent the same bytes. Read for each, it would take a descriptor and a
 * part of its own for each request of those who ask a thousand times over one connection and read nothing, and for good where
 * such a connection ends before it is their turn, of which what streams files is not told.
 */
export function keptFile(path: string): () => Promise<KeptFile> {
  let reading: Promise<KeptFile> | null = null;
  return () => {
    reading ??= read(path).catch((error) => {
      reading = null;
      throw error;
    });
    return reading;
  };
}

async function read(path: string): Promise<KeptFile> {
  const [bytes, { mtime }] = await Promise.all([readFile(path), stat(path)]);
  return { name: basename(path), bytes, modified: mtime };
}

/** Whether a request asks for another file than this one, which has no tag (RFC 9110, 13.1.1 and 13.1.4). */
function isUnmet({ headers }: Request, { modified }: KeptFile): boolean {
  const match = headers['if-match'];
  if (match !== undefined) return match !== '*';
  const since = Date.parse(headers['if-unmodified-since'] ?? '');
  return !Number.isNaN(since) && inSeconds(modified) > inSeconds(new Date(since));
}

/** Dates in headers have no milliseconds. */
const inSeconds = (time: Date): number => Math.floor(time.getTime() / 1_000);

/**
 * The one part of a file that is asked for: null for all of it, as with several, where it may be a part of another file, and
 * by HEAD, which has no parts (RFC 9110, 14.2).
 */
function partOf(request: Request, { bytes }: KeptFile): { start: number; end: number } | 'none' | null {
  if (request.method !== 'GET' || request.headers['if-range'] !== undefined) return null;
  const ranges = request.range(bytes.length, { combine: true });
  if (ranges === -1) return 'none';
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null;
  return ranges[0] ?? null;
}

/** Answers with a file, or the part of it that is asked for; browsers keep it for a day. */
export function sendKeptFile(request: Request, response: Response, file: KeptFile): void {
  const { name, bytes, modified } = file;
  response.setHeader('Accept-Ranges', 'bytes');
  response.setHeader('Last-Modified', modified.toUTCString());
  if (isUnmet(request, file)) return void response.status(412).end();
  const part = request.fresh ? null : partOf(request, file);
  if (part === 'none') {
    response.setHeader('Content-Range', `bytes */${bytes.length}`);
    return void response.status(416).end();
  }
  // Not before: a cache that keeps a refusal would answer with it whoever asks for the file.
  response.setHeader('Cache-Control', 'public, max-age=86400');
  response.type(name);
  if (part === null) return void response.send(bytes);
  response.setHeader('Content-Range', `bytes ${part.start}-${part.end}/${bytes.length}`);
  response.status(206).send(bytes.subarray(part.start, part.end + 1));
}
