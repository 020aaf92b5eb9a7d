import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { briefRunFlags, compiledProduct, productFolder } from './test/harness/compiledProduct.ts';
import { nothingSkipped } from './test/harness/nothingSkipped.ts';
import { scratchFolder } from './test/harness/scratch.ts';

export default defineConfig({
  plugins: [compiledProduct(scratchFolder, !process.argv.includes('run'))],
  // vitest would load graphql's ESM and CommonJS builds side by side, and graphql refuses two realms.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    globalSetup: 'test/harness/globalSetup.ts',
    include: ['test/**/*.test.ts'],
    reporters: process.env.CI === 'true' ? ['default', nothingSkipped] : ['default'],
    env: { TMPDIR: scratchFolder },
    // Loading and warming up the product takes longer than most files' tests: files of a worker share it.
    isolate: false,
    execArgv: briefRunFlags,
    // Tests of waits, restarts and lost servers leave cores idle.
    maxWorkers: 2 * availableParallelism(),
    // Tests that are to run at once do little but wait.
    maxConcurrency: 12,
    server: { deps: { external: [new RegExp(`^${productFolder(scratchFolder)}/`)] } },
    // They keep a run from hanging and prove nothing: the longest of a minute takes four where the machine is busy.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
