import type { Reporter, TestModule } from 'vitest/node';

/** Fails a run in which a test was skipped, and names it. */
export const nothingSkipped: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map(
        ({ fullName }) => `${module.relativeModuleId}: ${fullName}`,
      ),
    );
    if (skipped.length === 0) return;
    process.stderr.write(`\nIn CI nothing may be skipped:\n${skipped.join('\n')}\n`);
    process.exitCode = 1;
  },
};
