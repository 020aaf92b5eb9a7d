import { expect, it, onTestFinished } from 'vitest';
import { describeOneEngine } from '../harness/engines.ts';
import { memoryBytes } from '../harness/garbage.ts';
import { startTestServer } from '../harness/server.ts';

describeOneEngine('Documents that are asked for once', (engine) => {
  it.each(['application/json', 'text/event-stream'])(
    'are not kept for good with their comments, however many a key sends for %s',
    async (accept) => {
      const [count, characters] = [60, 500_000];
      const server = await startTestServer(engine);
      onTestFinished(() => server.close());
      const { live } = await server.createTeam();
      let asked = 0;
      const ask = async () => {
        asked += 1;
        const comment = `${asked} ${'.'.repeat(characters)}`;
        const query = `{ walletBalance { balance } } # ${comment}`;
        const { text } = await server.graphql(query, null, live, { accept });
        expect(text).toContain('{"data":{"walletBalance":{"balance":"0.00"}}}');
      };
      // What is loaded with the first, and as many as are kept: some twenty megabytes in all.
      while (asked < count) await ask();
      const before = await memoryBytes();
      while (asked < 2 * count) await ask();
      expect((await memoryBytes()) - before).toBeLessThan((count * characters) / 2);
    },
  );
});
