import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Compiles the product into dist and bundles it, one build of a folder at a time: a process that starts while another one's build
 * rewrites the same files finds them half-written. Whoever comes second has nothing to write. What was compiled from a
 * source that is gone goes, too: a migration that has got another name would run under both.
 */

const folder = import.meta.dirname;

await turn();
let status = run(join(folder, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json');
if (status === 0) {
  removeOrphans();
  status = run(join(folder, 'bundle.mjs'), 'dist');
}
process.exit(status);

function run(...command) {
  return spawnSync(process.execPath, command, { cwd: folder, stdio: 'inherit' }).status ?? 1;
}

function removeOrphans() {
  for (const sources of ['src', 'schema', 'rest', 'migrations']) {
    const compiled = join(folder, 'dist', sources);
    if (!existsSync(compiled)) continue;
    for (const name of readdirSync(compiled, { recursive: true })) {
      const source = join(folder, sources, name.replace(/\.js$/, '.ts'));
      if (name.endsWith('.js') && !existsSync(source)) rmSync(join(compiled, name));
    }
  }
}

/**
 * Holds a name that the kernel gives to one process and takes back with it. Systems that have no such names do without,
 * and so does who has waited for longer than builds take.
 */
async function turn() {
  const deadlineMs = performance.now() + 120_000;
  const name = `embarque-build-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
  const server = createServer((socket) => socket.destroy());
  for (;;) {
    try {
      server.listen(process.platform === 'win32' ? `\\\\?\\pipe\\${name}` : `\0${name}`);
      await once(server, 'listening');
      return;
    } catch (error) {
      if (error.code !== 'EADDRINUSE' || performance.now() > deadlineMs) return;
      await delay(50);
    }
  }
}
