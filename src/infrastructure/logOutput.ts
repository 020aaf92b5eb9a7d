import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Lines are written in batches of so many characters, but no line is held back for longer than this. */
const batchCharacters = 12_288;
const flushMs = 1_000;

const standardOutputFile = 1;

/** How long a reader that is behind is waited for before it is tried again. */
const fullMs = 5;

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
  const writeOut = () => {
    if (lines === '') return;
    const batch = Buffer.from(lines);
    lines = '';
    writeWhole(batch);
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

/** Drops what nobody takes (a closed pipe, a full disk): that is no reason for a server to stop. */
function writeWhole(batch: Buffer): void {
  let written = 0;
  while (written < batch.length) {
    try {
      written += writeSync(standardOutputFile, batch, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullMs);
    }
  }
}
