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

/** Where V8's code of a file stands. */
const codePath = (path: string) => `${path}.code`;

/** Without it V8 compiles the file. */
function codeOf(path: string): Buffer | undefined {
  try {
    return readFileSync(codePath(path));
  } catch {
    return undefined;
  }
}

/**
 * The files of a bundle (`bundle.mjs`), loaded with the code that V8 made of them when they were bundled: reading and
 * compiling seven megabytes of JavaScript takes a fifth of a start otherwise. Code of another V8, or made under other options,
 * is refused by V8, which then compiles the file as ever. What names a file has a hash of what is in it, so no code is taken
 * for another file's.
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
    for (const [path, script] of this.#scripts) writeFileSync(codePath(path), script.createCachedData());
  }

  #compile(filename: string): Script {
    // Of ASCII alone (`bundle.mjs`): V8 takes its bytes as they are.
    const source = readFileSync(filename, 'latin1');
    // V8's code keeps the name that it was made under, before the bundle got to its place: stacks name the file for people.
    const name = `bundle/${basename(filename)}`;
    const script = new Script(source, { filename: name, cachedData: codeOf(filename) });
    this.#scripts.set(filename, script);
    return script;
  }
}
