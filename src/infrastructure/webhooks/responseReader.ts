import { excerptLimitBytes, safeExcerpt } from './excerpt.ts';

/** Longest status line, chunk size line and the like, in characters. Header lines are bounded by the whole. */
const lineLimit = 8_192;

/** What every status line begins with (RFC 9112, 4). */
const opening = 'HTTP/1.';

const notHttp = 'the answer is not HTTP/1.1';

const nothing = Buffer.alloc(0);

type State =
  | 'status'
  | 'headers'
  | 'length'
  | 'chunkSize'
  | 'chunkData'
  | 'chunkEnd'
  | 'trailers'
  | 'untilClose'
  | 'done';

/**
 * Reads one HTTP/1.x answer, byte by byte if it must be, for the three things an attempt needs: the status line
 * as soon as it is there, the beginning of the body, and whether the connection is clean enough to be used
 * again. (RFC 9112; interim 1xx answers are passed over as RFC 9110 §15.2 demands.)
 *
 * node:http and undici report nothing before the last header, and undici takes 100 Continue for a fault; DESIGN
 * §4 lets the status line alone decide, hence a reader of our own. It is free to be strict: whatever looks odd
 * after the status line only costs the connection, never the attempt.
 */
export class ResponseReader {
  /** Of the final answer (not 1xx, except 101), once its status line is complete. */
  statusCode: number | null = null;
  /** The answer is not HTTP/1.x. Set only while `statusCode` is null. */
  fault: string | null = null;
  /** The last byte of the answer has been read. */
  complete = false;
  /** Nothing in the answer forbids another request on the connection. Only meaningful once `complete`. */
  reusable = true;
  /** What the receiver says it keeps an idle connection for, in milliseconds; null when it does not say. */
  keepAliveMs: number | null = null;

  readonly #bodyless: boolean;
  #state: State = 'status';
  #line = '';
  #interim = false;
  #contentLength: number | null = null;
  #chunked = false;
  #contentEncoding = '';
  #remaining = 0;
  #excerpt: Buffer[] = [];
  #excerptBytes = 0;
  #chunk: Buffer = nothing;
  /** The chunk as text, once a line of it has been asked for: a character for each byte. */
  #text: string | null = null;
  #position = 0;

  /** `bodyless`: the answer to HEAD, which has headers about a body but none. */
  constructor(bodyless: boolean) {
    this.#bodyless = bodyless;
  }

  push(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#position = 0;
    while (this.#position < chunk.length && this.#state !== 'done' && this.fault === null) this.#step();
    // Bytes behind the end of an answer belong to no request of ours.
    if (this.#position < chunk.length) this.reusable = false;
    this.#chunk = nothing;
    this.#text = null;
  }

  /** The body's beginning, as text that may be stored. */
  excerpt(): string {
    return safeExcerpt(Buffer.concat(this.#excerpt), this.#contentEncoding);
  }

  #step(): void {
    if (this.#state === 'length' || this.#state === 'chunkData' || this.#state === 'untilClose') {
      this.#readData();
      return;
    }
    const line = this.#readLine();
    if (line === null) {
      // What speaks something else may never end a line: frames of HTTP/2 do not.
      if (this.#state === 'status' && !opening.startsWith(this.#line.slice(0, opening.length)))
        this.#giveUp(notHttp);
      else if (this.#line.length > lineLimit && this.#state !== 'headers')
        this.#giveUp('the status line is too long');
    } else if (this.#state === 'status') this.#statusLine(line);
    else if (this.#state === 'headers') this.#headerLine(line);
    else if (this.#state === 'chunkSize') this.#chunkSizeLine(line);
    else if (this.#state === 'trailers') this.#trailerLine(line);
    else if (line === '') this.#state = 'chunkSize';
    else this.#giveUp('a chunk does not end where it says');
  }

  /** A whole line without its end, or null when more bytes are needed. Strings are ropes: appending is cheap. */
  #readLine(): string | null {
    this.#text ??= this.#chunk.toString('latin1');
    const end = this.#text.indexOf('\n', this.#position);
    const line = this.#line + this.#text.slice(this.#position, end === -1 ? undefined : end);
    this.#position = end === -1 ? this.#chunk.length : end + 1;
    this.#line = end === -1 ? line : '';
    if (end === -1) return null;
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  #statusLine(line: string): void {
    const match = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/.exec(line);
    if (!match) {
      this.#giveUp(notHttp);
      return;
    }
    const statusCode = Number(match[2]);
    this.#interim = statusCode < 200 && statusCode !== 101;
    this.#state = 'headers';
    if (this.#interim) return;
    this.statusCode = statusCode;
    if (match[1] === '0') this.reusable = false;
    if (statusCode === 101) {
      this.reusable = false;
      this.#finish();
    }
  }

  #headerLine(line: string): void {
    if (line === '') {
      if (this.#interim) this.#state = 'status';
      else this.#beginBody();
      return;
    }
    if (this.#interim) return;
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'content-length') this.#takeLength(value);
    else if (name === 'transfer-encoding') this.#takeTransferEncoding(value);
    else if (name === 'connection') this.reusable &&= !/\b(close|upgrade)\b/i.test(value);
    else if (name === 'keep-alive') this.#takeKeepAlive(value);
    else if (name === 'content-encoding') this.#contentEncoding += value;
    // A line without a colon, or one that continues the line before, may hide where the body ends.
    else if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) this.reusable = false;
  }

  #takeLength(value: string): void {
    const length = /^\d{1,15}$/.test(value) ? Number(value) : null;
    if (length === null || this.#contentLength !== null) this.reusable = false;
    this.#contentLength = length;
  }

  #takeTransferEncoding(value: string): void {
    if (value.toLowerCase() !== 'chunked' || this.#chunked) this.reusable = false;
    this.#chunked = true;
  }

  #takeKeepAlive(value: string): void {
    const timeout = /\btimeout=(\d{1,6})\b/i.exec(value);
    if (timeout) this.keepAliveMs = Number(timeout[1]) * 1_000;
  }

  #beginBody(): void {
    const status = this.statusCode;
    if (this.#bodyless || status === 204 || status === 304) {
      this.#finish();
    } else if (this.#chunked) {
      if (this.#contentLength !== null) this.reusable = false;
      this.#state = 'chunkSize';
    } else if (this.#contentLength === null) {
      this.reusable = false;
      this.#state = 'untilClose';
    } else {
      this.#remaining = this.#contentLength;
      this.#state = 'length';
      if (this.#remaining === 0) this.#finish();
    }
  }

  #chunkSizeLine(line: string): void {
    const size = /^([0-9a-f]{1,8})[ \t]*(;.*)?$/i.exec(line);
    if (!size) {
      this.#giveUp('a chunk has no size');
      return;
    }
    this.#remaining = Number.parseInt(size[1]!, 16);
    this.#state = this.#remaining === 0 ? 'trailers' : 'chunkData';
  }

  #trailerLine(line: string): void {
    if (line === '') this.#finish();
  }

  #readData(): void {
    const available = this.#chunk.length - this.#position;
    const length = this.#state === 'untilClose' ? available : Math.min(available, this.#remaining);
    this.#keep(this.#chunk.subarray(this.#position, this.#position + length));
    this.#position += length;
    if (this.#state === 'untilClose') return;
    this.#remaining -= length;
    if (this.#remaining > 0) return;
    if (this.#state === 'length') this.#finish();
    else this.#state = 'chunkEnd';
  }

  #keep(data: Buffer): void {
    const room = excerptLimitBytes - this.#excerptBytes;
    if (room <= 0) return;
    // A copy, so that 4 KiB do not hold on to the whole record they came in.
    const part = Buffer.from(data.subarray(0, room));
    this.#excerpt.push(part);
    this.#excerptBytes += part.length;
  }

  #finish(): void {
    this.#state = 'done';
    this.complete = true;
  }

  /** Before the status line: not HTTP. Behind it: the answer counts, and only the connection is lost. */
  #giveUp(fault: string): void {
    this.reusable = false;
    if (this.statusCode === null) this.fault = fault;
    else this.#finish();
  }
}
