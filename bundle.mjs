import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

/**
 * `node bundle.mjs <folder>` puts what was compiled to a folder, and the packages that it uses, into few files, from which
 * the programs are started: `bundle` in the same folder. Finding and reading the two thousand files that they are
 * otherwise takes a quarter of a start, and compiling them another, so that V8's code of each file stands beside it
 * (`src/infrastructure/bundledFiles.ts`). When nothing was compiled or installed since the last time, and Node.js is the
 * same, nothing is done.
 *
 * Files but the programs are named after what is in them, and a process loads some of them late: those of the bundle
 * before stay for as long as there is no other one.
 */

const programs = ['main', 'ledgerVerify', 'operatorKey', 'keysReseal', 'pixCallback'];

const external = [
  // They find files of their own by where they stand.
  /^@electric-sql\/pglite/,
  'pdfkit',
  // It calls url.parse, of which Node.js from 24 on warns operators when the caller is not in node_modules.
  'parseurl',
  // They are loaded when they are needed first, if ever.
  'bwip-js',
  'nodemailer',
  'qrcode',
  // Sequelize and its driver do without them.
  'pg-hstore',
  'pg-native',
];

/** Every file is a function of what CommonJS gives to a module, which the loader calls. Modules are strict code. */
const banner = `(function (exports, require, module, __filename, __dirname, navigator) { 'use strict';`;
const footer = '})';

/** What is bundled cannot import modules by their URL: its loader does it. */
const importModuleOfLoader = {
  name: 'embarque:import-module',
  resolveId: (source) =>
    source.endsWith('/importModule.js') ? { id: 'embarque:importModule', external: true } : null,
};

/** Another one refuses the code that this one makes. */
const engine = [
  process.version,
  process.platform,
  process.arch,
  ...process.execArgv,
  process.env.NODE_OPTIONS ?? '',
]
  .join(' ')
  .trim();

const [path, ...parts] = process.argv.slice(2);
const folder = resolve(path);
const finished = join(folder, 'bundle');
const written = join(folder, 'bundle.new');
/** Names the files of the bundle and of the one before it, and the engine whose code stands beside them. Written last. */
const record = join(finished, 'bundle.json');
if (parts.length > 0) await keepCode();
else if (!isFinished()) await bundle();

function isFinished() {
  const { engine: itsEngine, files } = recorded() ?? {};
  if (itsEngine !== engine || !files.every((file) => existsSync(join(finished, file)))) return false;
  const { mtimeMs } = statSync(record);
  const compiled = ['src', 'schema', 'rest'].flatMap((name) =>
    readdirSync(join(folder, name), { recursive: true }).map((path) => join(folder, name, path)),
  );
  const packages = join(import.meta.dirname, 'node_modules/.package-lock.json');
  const inputs = [import.meta.filename, packages, ...compiled.filter((path) => path.endsWith('.js'))];
  return inputs.every((path) => !existsSync(path) || statSync(path).mtimeMs < mtimeMs);
}

/** Nothing where there is none, or the disk has not kept it. */
function recorded() {
  try {
    return JSON.parse(readFileSync(record, 'utf8'));
  } catch {
    return null;
  }
}

async function bundle() {
  const { rolldown } = await import('rolldown');
  rmSync(written, { recursive: true, force: true });
  const compiled = await rolldown({
    input: Object.fromEntries(programs.map((name) => [name, join(folder, 'src', `${name}.js`)])),
    platform: 'node',
    external,
    // Whatever the environment says, packages are to do what they do when they are used.
    transform: { define: { 'process.env.NODE_ENV': "'production'" } },
    plugins: [importModuleOfLoader],
    onLog,
  });
  // Classes are called in GraphQL and in the database what they are called in their files.
  // No source maps: a start that reads them takes a twelfth longer, and the first stack of an error 130 ms. One letter
  // beyond ASCII has V8 keep all of a file at two bytes each; and comments are read at each start by nobody.
  const { output } = await compiled.write({
    dir: written,
    format: 'cjs',
    entryFileNames: '[name]-[hash].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    keepNames: true,
    postBanner: banner,
    postFooter: footer,
    charset: 'ascii',
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await compiled.close();
  await writeLoader(rolldown);
  const entries = output.filter(({ isEntry }) => isEntry);
  for (const { name, fileName } of entries) writeFileSync(join(written, `${name}.js`), programText(fileName));
  const others = output.filter(({ isEntry }) => !isEntry);
  for (const part of others) refuseProgram(part, entries);
  // By a process of its own, with the options that this one has, which are to be the programs' as well.
  const names = others.map(({ fileName }) => fileName);
  if (names.length > 0)
    execFileSync(process.execPath, [...process.execArgv, import.meta.filename, folder, ...names], {
      stdio: 'inherit',
    });
  replace();
}

function onLog(_level, log) {
  if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
}

/**
 * What a program shares with nothing but a part that it loads late stands in the program's own file, and whoever loads the
 * part alone, to have V8 compile it, would run the program. @throws Error naming both
 */
function refuseProgram({ name, imports }, entries) {
  const program = entries.find(({ fileName }) => imports.includes(fileName));
  if (program)
    throw new Error(`${name} shares a module with ${program.fileName} alone: import it late there, too`);
}

async function writeLoader(rolldown) {
  const loader = await rolldown({
    input: { loader: join(folder, 'src/infrastructure/bundledFiles.js') },
    platform: 'node',
    onLog,
  });
  await loader.write({ dir: written, format: 'esm' });
  await loader.close();
}

function programText(file) {
  return `import { BundledFiles } from './loader.js';

new BundledFiles(import.meta.dirname).load('${file}');
`;
}

/** Loads the parts that the programs load, and has V8's code of them written down. */
async function keepCode() {
  const { BundledFiles } = await import(pathToFileURL(join(written, 'loader.js')).href);
  const files = new BundledFiles(written);
  for (const part of parts) files.load(part);
  files.keepCode();
  process.exit(0);
}

/** Programs come last: whoever starts one, the old or the new, finds all that it loads. */
function replace() {
  mkdirSync(finished, { recursive: true });
  const files = readdirSync(written).sort();
  const last = recorded() ?? { files: readdirSync(finished), former: [] };
  // Bundled again and the same, it is not another one.
  const former = isDeepStrictEqual(last.files, files) ? last.former : last.files;
  const isProgram = (file) => programs.includes(file.replace(/\.js$/, ''));
  for (const file of [...files.filter((one) => !isProgram(one)), ...files.filter(isProgram)])
    renameSync(join(written, file), join(finished, file));
  const kept = new Set([...files, ...former]);
  for (const file of readdirSync(finished)) if (!kept.has(file)) rmSync(join(finished, file));
  writeFileSync(join(written, 'bundle.json'), JSON.stringify({ engine, files, former }));
  renameSync(join(written, 'bundle.json'), record);
  rmSync(written, { recursive: true });
}
