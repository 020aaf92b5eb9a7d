// A process that commits until it is killed: `node committer.mjs <built product> <folder>`. Each line it prints is a commit that was acknowledged.
import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Sequelize } from 'sequelize';

const [product, dataDir] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${product}/dist/src/infrastructure/database/${path}.js`));
const { openEmbedded } = await load('embedded');

const embedded = await openEmbedded({ dataDir });
const sequelize = new Sequelize('postgres', 'postgres', '', {
  dialect: 'postgres',
  logging: false,
  pool: { min: 0, max: 1 },
  dialectOptions: { stream: embedded.stream },
});
await sequelize.query(`CREATE TABLE IF NOT EXISTS totals (id int PRIMARY KEY, sum bigint NOT NULL);
  CREATE TABLE IF NOT EXISTS entries (id int PRIMARY KEY, filler text NOT NULL);
  INSERT INTO totals VALUES (1, 0) ON CONFLICT DO NOTHING`);
const [[{ last }]] = await sequelize.query('SELECT coalesce(max(id), 0) AS last FROM entries');
writeSync(1, 'ready\n');
for (let id = last + 1; ; id += 1) {
  await sequelize.transaction(async (transaction) => {
    const filler = `repeat('x', ${(id * 97) % 3000})`;
    await sequelize.query(`INSERT INTO entries VALUES (${id}, ${filler})`, { transaction });
    await sequelize.query(`UPDATE totals SET sum = sum + ${id}`, { transaction });
  });
  writeSync(1, `${id}\n`);
  if (id % 50 === 0) await sequelize.query('CHECKPOINT');
}
