import type { DestinationStream } from 'pino';
import { pino } from 'pino';

/** Lines are written in batches of so many bytes, but no line is held back for longer than this. */
const batchBytes = 12_288;
const flushMs = 1_000;

/** Where a log goes: `flush` and `flushSync` are called by pino, at the log's own flush and after a fatal line. */
interface LogOutput extends DestinationStream {
  flush(done?: (error?: Error) => void): void;
  flushSync(): void;
}

/**
 * Standard output, written to in batches. The lines of one turn of the event loop are handed on together, because the
 * writer measures all that it holds with each piece that it gets.
 */
export function standardOutput(): LogOutput {
  const writer = pino.destination({ dest: 1, sync: false, minLength: batchBytes, periodicFlush: flushMs });
  let lines = '';
  const handOn = () => {
    if (lines === '') return;
    const batch = lines;
    lines = '';
    writer.write(batch);
  };
  // Before the writer's own listener, which writes out what it holds.
  process.prependOnceListener('exit', handOn);
  return {
    write(line) {
      if (lines === '') setImmediate(handOn);
      lines += line;
    },
    flush(done) {
      handOn();
      writer.flush(done);
    },
    flushSync() {
      handOn();
      writer.flushSync();
    },
  };
}
