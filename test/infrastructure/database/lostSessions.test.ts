import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { driverClient } from '../../../src/infrastructure/database/driverClient.ts';
import { describeSeveralSessions } from '../../harness/engines.ts';

describeSeveralSessions('A session of the database that does not come', (engine) => {
  it('tells of an outage, unless another one has come meanwhile', async () => {
    const place = await engine.allocate();
    const told: string[] = [];
    const Client = driverClient(
      { endless: false },
      { begin: () => void told.push('lost'), end: () => void told.push('back') },
    );
    const silent = createServer().listen(0, '127.0.0.1');
    try {
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const begin = (url: string) => {
        const client = new Client({ connectionString: url });
        const outcome = new Promise<Error | undefined>((resolve) => client.connect(resolve));
        return { client, outcome };
      };
      const beginInVain = async () => {
        const { outcome } = begin(`postgres://nobody@127.0.0.1:${port}/none`);
        const [socket] = (await once(silent, 'connection')) as [Socket];
        return async () => {
          socket.destroy();
          expect(await outcome).toBeInstanceOf(Error);
        };
      };
      const losesFirst = await beginInVain();
      const other = begin(place.settings.DATABASE_URL as string);
      expect(await other.outcome).toBeFalsy();
      await losesFirst();
      expect(told).toEqual(['back']);
      const losesNext = await beginInVain();
      await losesNext();
      expect(told).toEqual(['back', 'lost']);
      await other.client.end();
    } finally {
      silent.close();
      await place.release();
    }
  });
});
