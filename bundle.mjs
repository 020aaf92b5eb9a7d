import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `node bundle.mjs <folder>` puts what was compiled to a folder, and the packages that it uses, into few files, from which
 * the programs are started: `bundle` in the same folder. Finding and reading the two thousand files that they are
 * otherwise takes a quarter of a start. When nothing was compiled or installed since the last time, nothing is done.
 */

const programs = ['main', 'ledgerVerify', 'operatorKey', 'keysReseal'];

const external = [
  // They find files of their own by where they stand.
  /^@electric-sql\/pglite/,
  'pdfkit',
  // They are loaded when they are needed first, if ever.
  'bwip-js',
  'nodemailer',
  'qrcode',
  // Sequelize and its driver do without them.
  'pg-hstore',
  'pg-native',
];

/** CommonJS packages may call `require` with names that are known only when they run. */
const banner = `import { createRequire as requireFrom } from 'node:module';
const require = requireFrom(import.meta.url);`;

const [folder] = process.argv.slice(2);
const finished = join(folder, 'bundle');
if (!isFinished()) await bundle();

function isFinished() {
  const program = join(finished, 'main.js');
  if (!existsSync(program)) return false;
  const { mtimeMs } = statSync(program);
  const compiled = ['src', 'schema', 'rest'].flatMap((name) =>
    readdirSync(join(folder, name), { recursive: true }).map((path) => join(folder, name, path)),
  );
  const packages = join(import.meta.dirname, 'node_modules/.package-lock.json');
  const inputs = [import.meta.filename, packages, ...compiled.filter((path) => path.endsWith('.js'))];
  return inputs.every((path) => !existsSync(path) || statSync(path).mtimeMs < mtimeMs);
}

async function bundle() {
  const { rolldown } = await import('rolldown');
  const written = join(folder, 'bundle.new');
  rmSync(written, { recursive: true, force: true });
  const compiled = await rolldown({
    input: Object.fromEntries(programs.map((name) => [name, join(folder, 'src', `${name}.js`)])),
    platform: 'node',
    external,
    // Whatever the environment says, packages are to do what they do when they are used.
    transform: { define: { 'process.env.NODE_ENV': "'production'" } },
    onLog(_level, log) {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
    },
  });
  // Classes are called in GraphQL and in the database what they are called in their files.
  await compiled.write({ dir: written, format: 'esm', keepNames: true, banner });
  await compiled.close();
  rmSync(finished, { recursive: true, force: true });
  renameSync(written, finished);
}
