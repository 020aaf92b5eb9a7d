import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { openingOf } from './logLine.ts';

/** Lines are written in batches of so many characters, but no line is held back for longer than this. */
const batchCharacters = 12_288;
const flushMs = 1_000;

const standardOutputFile = 1;

/** How long a reader that is behind is waited for before it is tried again. */
const fullMs = 5;

/** How long a reader that takes nothing at all is waited for. One that has stopped would stop the server, too. */
const stuckMs = 3_000;

const endOfLine = 10;

/** Where a log goes: `flush` and `flushSync` are called by pino, at the log's own flush and after a fatal line. */
interface LogOutput extends DestinationStream {
  flush(done?: (error?: Error) => void): void;
  flushSync(): void;
}

/**
 * Standard output, written to in batches and synchronously: a write that is under way in another thread when the process
 * ends comes too late, out of order or not at all; and handing it over costs more than writing.
 */
export function standardOutput(): LogOutput {
  let lines = '';
  /** Whether the latest batch found no reader, and whether a line of it was begun. */
  let isStuck = false;
  let isCut = false;
  /** Lines that found no reader and were not told of yet. */
  let dropped = 0;
  const writeOut = () => {
    if (lines === '' && dropped === 0) return;
    const opening = (isCut ? '\n' : '') + (dropped > 0 ? droppedLine(dropped) : '');
    const batch = Buffer.from(opening + lines);
    lines = '';
    const written = write(batch, isStuck ? 0 : stuckMs);
    isStuck = written < batch.length;
    if (written > 0) isCut = batch[written - 1] !== endOfLine;
    // The opening is ASCII.
    if (written >= opening.length) dropped = 0;
    if (isStuck) dropped += linesIn(batch.subarray(Math.max(written, opening.length)));
  };
  setInterval(writeOut, flushMs).unref();
  process.once('exit', writeOut);
  return {
    write(line) {
      lines += line;
      if (lines.length >= batchCharacters) writeOut();
    },
    flush(done) {
      writeOut();
      done?.();
    },
    flushSync: writeOut,
  };
}

const linesIn = (batch: Buffer): number =>
  batch.reduce((count, byte) => count + Number(byte === endOfLine), 0);

/** As pino would write it, a warning: what is missing in the log is not what did not happen. */
const droppedLine = (count: number) =>
  `${openingOf('warn')},"lines":${count},"msg":"log lines dropped: nobody read them"}\n`;

/**
 * Drops what nobody takes (a closed pipe, a full disk, a reader that has stopped): that is no reason for a server to stop.
 * @returns how many bytes were taken.
 */
function write(batch: Buffer, patienceMs: number): number {
  let written = 0;
  let waitedMs = 0;
  while (written < batch.length) {
    try {
      written += writeSync(standardOutputFile, batch, written);
      waitedMs = 0;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || waitedMs >= patienceMs) break;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullMs);
      waitedMs += fullMs;
    }
  }
  return written;
}
