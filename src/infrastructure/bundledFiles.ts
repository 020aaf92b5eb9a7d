import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { Script } from 'node:vm';
import { importModule } from './importModule.ts';
import { setV8Options } from './v8Options.ts';

/** What a file of the bundle is, once it has run: a function of these, by the names that CommonJS has for them. */
type BundledModule = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  filename: string,
  dirname: string,
  navigator: { userAgent: string },
) => void;

/** The name by which what is bundled requires `importModule`. */
const importer = 'embarque:importModule';

/**
 * Packages ask it whether they run in a browser, or in a cloud. Node.js has one from 21 on; where there is none, the
 * driver of PostgreSQL makes a Response to see what becomes of it, and with that has Node.js load all of fetch: a
 * twentieth of a start.
 */
const navigator = (globalThis as { navigator?: { userAgent: string } }).navigator ?? {
  userAgent: `Node.js/${process.versions.node}`,
};

/** Where V8's code of a file stands, behind its digest. */
const codePath = (path: string) => `${path}.code`;

const digestBytes = 32;

/** The file's name has a hash of what is in it, so no code is taken for another file's. */
const digestOf = (path: string, code: Buffer) =>
  createHash('sha256').update(basename(path)).update(code).digest();

/** V8 does not look whether its code is whole: with a bit that has changed it would do anything. @returns nothing for none. */
function codeOf(path: string): Buffer | undefined {
  let kept: Buffer;
  try {
    kept = readFileSync(codePath(path));
  } catch {
    return undefined;
  }
  const code = kept.subarray(digestBytes);
  return digestOf(path, code).equals(kept.subarray(0, digestBytes)) ? code : undefined;
}

function keepCodeOf(path: string, code: Buffer): void {
  writeFileSync(codePath(path), Buffer.concat([digestOf(path, code), code]));
}

/**
 * The files of a bundle (`bundle.mjs`), loaded with the code that V8 made of them when they were bundled: reading and
 * compiling seven megabytes of JavaScript takes a fifth of a start otherwise. A file without it is compiled as ever; so is one
 * whose code V8 refuses, as that of another V8, or made under other options.
 */
export class BundledFiles {
  readonly #folder: string;
  readonly #require: NodeJS.Require;
  readonly #modules = new Map<string, { exports: object }>();
  readonly #scripts = new Map<string, Script>();

  constructor(folder: string) {
    setV8Options();
    this.#folder = folder;
    const elsewhere = createRequire(join(folder, 'loader.js'));
    const require = (name: string) => {
      if (name === importer) return { importModule };
      return name.startsWith('./') ? this.load(name.slice('./'.length)) : elsewhere(name);
    };
    this.#require = Object.assign(require, elsewhere);
  }

  /** Runs a file, once. @returns its exports. @throws Error when it cannot be read, or of its own; the next call tries again. */
  load(file: string): object {
    const loaded = this.#modules.get(file);
    if (loaded) return loaded.exports;
    const path = join(this.#folder, file);
    const script = this.#compile(path);
    const module = { exports: {} };
    // Files that need each other find what there is so far.
    this.#modules.set(file, module);
    try {
      const run = script.runInThisContext() as BundledModule;
      run(module.exports, this.#require, module, path, this.#folder, navigator);
    } catch (error) {
      this.#modules.delete(file);
      throw error;
    }
    return module.exports;
  }

  /** Writes V8's code of all that was loaded beside the files, for starts to come. */
  keepCode(): void {
    for (const [path, script] of this.#scripts) keepCodeOf(path, script.createCachedData());
  }

  #compile(filename: string): Script {
    const bytes = readFileSync(filename);
    // V8 takes the bytes of ASCII, which all files should be of (`bundle.mjs`), as they are.
    const source = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
    // V8's code keeps the name that it was made under, before the bundle got to its place: stacks name the file for people.
    const name = `bundle/${basename(filename)}`;
    const script = new Script(source, { filename: name, cachedData: codeOf(filename) });
    this.#scripts.set(filename, script);
    return script;
  }
}
