import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

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
  return WebAssembly.compile(await readFile(resolve('@electric-sql/pglite/pglite.wasm')));
}
