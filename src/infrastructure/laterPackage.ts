import { createRequire } from 'node:module';
import { dirname } from 'node:path';

const require = createRequire(import.meta.url);

/**
 * A package that is loaded when it is first needed: a start is faster without. Where it is and what its files are is looked up
 * at once: a package.json that Node.js could not read once, for want of a descriptor for one, it takes for missing from then
 * on. What cannot be loaded afterwards is loaded by whoever needs it next; what `import` could not load once, it never does.
 * @throws Error when it is not installed
 */
export function laterPackage<Package>(name: string): () => Package {
  const path = require.resolve(name);
  lookUpType(path);
  return () => require(path) as Package;
}

/** Has Node.js read what the package.json of a file's own folder, if there is one, says of its type. */
function lookUpType(path: string): void {
  try {
    require.resolve(dirname(path));
  } catch {
    // Few folders can be loaded by themselves.
  }
}
