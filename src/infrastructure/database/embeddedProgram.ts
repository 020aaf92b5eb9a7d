import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setV8Options } from '../v8Options.ts';

const { resolve } = createRequire(import.meta.url);

/** What is used of it; the types of Node.js leave it out. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: { compile(program: Uint8Array): Promise<object> };
};

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
  setV8Options();
  // Read at once: what is loaded meanwhile lets nothing have its turn, and other threads would compile only after it.
  return WebAssembly.compile(readFileSync(resolve('@electric-sql/pglite/pglite.wasm')));
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
