import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Compiles the product into dist, one build of a folder at a time: a process that starts while another one's build
 * rewrites the same files finds them half-written. Whoever comes second has nothing to write.
 */

const folder = import.meta.dirname;

await turn();
const compiler = join(folder, 'node_modules/typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
  cwd: folder,
  stdio: 'inherit',
});
process.exit(status ?? 1);

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
