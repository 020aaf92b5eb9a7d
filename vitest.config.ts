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
    testTimeout: 120_000,
    hookTimeout: 240_000,
  },
});
