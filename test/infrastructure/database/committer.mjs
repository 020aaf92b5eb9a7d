// A process that commits until it is killed: `node committer.mjs <folder>`. Each line it prints is a commit that was acknowledged.
import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const load = async (path) => (await runnerImport(fileURLToPath(new URL(path, import.meta.url)))).module;
const { openEmbedded } = await load('../../../src/infrastructure/database/embedded.ts');
const { poolOver } = await load('./pool.ts');

const embedded = await openEmbedded({ dataDir: process.argv[2] });
const sequelize = poolOver(embedded);
await sequelize.query(`CREATE TABLE IF NOT EXISTS totals (id int PRIMARY KEY, sum bigint NOT NULL);
  CREATE TABLE IF NOT EXISTS entries (id int PRIMARY KEY, filler text NOT NULL);
  INSERT INTO totals VALUES (1, 0) ON CONFLICT DO NOTHING`);
const [[{ last }]] = await sequelize.query('SELECT coalesce(max(id), 0) AS last FROM entries');
writeSync(1, 'ready\n');
for (let id = last + 1; ; id += 1) {
  await sequelize.transaction(async () => {
    await sequelize.query(`INSERT INTO entries VALUES (${id}, repeat('x', ${(id * 97) % 3000}))`);
    await sequelize.query(`UPDATE totals SET sum = sum + ${id}`);
  });
  writeSync(1, `${id}\n`);
  if (id % 50 === 0) await sequelize.query('CHECKPOINT');
}
