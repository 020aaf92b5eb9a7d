import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';

const { resolve } = createRequire(import.meta.url);

/** What is used of it; the types of Node.js leave it out. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: { compile(program: Uint8Array): Promise<object> };
};

/**
 * How much a function has to run (in bytes of its code) until V8 compiles it once more, for speed. With V8's own 1.8 million
 * a start makes it do so for much that hardly runs again: a quarter of all that a start costs. Functions that matter get
 * there all the same, within seconds. An engine without this setting says so and goes on.
 */
const tieringBudget = 100_000_000;

let program: Promise<object> | null = null;

/** PostgreSQL's WebAssembly, compiled once for all engines of the process. @throws Error when it cannot be read. */
export function embeddedProgram(): Promise<object> {
  program ??= compile().catch((error) => {
    program = null;
    throw error;
  });
  return program;
}

/** Begins with it. A failure is told to whoever needs it. */
export function prepareProgram(): void {
  embeddedProgram().catch(() => undefined);
}

async function compile(): Promise<object> {
  setFlagsFromString(`--wasm-tiering-budget=${tieringBudget}`);
  return WebAssembly.compile(await readFile(resolve('@electric-sql/pglite/pglite.wasm')));
}

/**
 * What PostgreSQL finds on its own disk, time zones for one. Read by the engine itself, a failure would be told to nobody who
 * hears it, and end the process. @throws Error when it cannot be read.
 */
export async function embeddedFiles(): Promise<Blob> {
  const bytes = await readFile(resolve('@electric-sql/pglite/pglite.data'));
  // The engine asks a Blob for nothing but its bytes, which one of Node.js's own copies more than once until they are there.
  return Object.assign(new Blob([]), { arrayBuffer: async () => Uint8Array.from(bytes).buffer });
}
