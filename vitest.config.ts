import { defineConfig } from 'vitest/config';

export default defineConfig({
  // vitest would load graphql's ESM and CommonJS builds side by side, and graphql refuses two realms.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    globalSetup: 'test/harness/globalSetup.ts',
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
