import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import type { RedisServer } from '../harness/redisServer.ts';
import { hasRedisServer, otherModes, startRedisIn, startRedisServer } from '../harness/redisServer.ts';
import { startTestServer } from '../harness/server.ts';
import { startServiceLink } from '../harness/serviceLink.ts';

const engine = realEngine();

/** Removes something when the test is over, before what was made earlier. */
async function forThisTest<Part>(part: Promise<Part>, remove: (part: Part) => unknown): Promise<Part> {
  const made = await part;
  onTestFinished(async () => void (await remove(made)));
  return made;
}

const connections = ['publisher', 'subscriber', 'rate limits'];
const refusal = 'redis is a cluster or a Sentinel, not a single server, at the address of REDIS_URL: ';
const acceptance = 'redis is a single server at the address of REDIS_URL';

const modeNames = ['redis_mode', 'server_mode'] as const;

/** What Redis answers, with the mode under the name that it has at Valkey, and the length that was announced. */
const namedAsAtValkey = (answer: Buffer) =>
  Buffer.from(
    answer.toString('latin1').replace('# Server\r\n', '# Serve\r\n').replace('redis_mode:', 'server_mode:'),
    'latin1',
  );

async function serverAt(redis: RedisServer, modeName: (typeof modeNames)[number]) {
  let target = redis;
  const link = await forThisTest(
    startServiceLink(
      () => new URL(target.url),
      (near, far) => {
        near.pipe(far);
        far.on('data', (answer) => near.write(modeName === 'redis_mode' ? answer : namedAsAtValkey(answer)));
      },
    ),
    ({ close }) => close(),
  );
  const settings = { REDIS_URL: link.url };
  const server = await forThisTest(startTestServer(engine!, { settings }), (started) => started.close());
  const { live: key } = await server.createTeam();
  return {
    leadTo(other: RedisServer) {
      target = other;
    },
    balance: async () => (await server.rest('GET', '/api/v1/wallet/balance', { key })).status,
    readiness: async () => (await server.rest('GET', '/health/ready')).body.checks.redis,
    /** How often this was said of each connection. */
    told: (words: string) =>
      connections.map(
        (name) =>
          server.logLines.filter((line) => line.includes(`"connection":"${name}"`) && line.includes(words))
            .length,
      ),
    /** Why Redis was said to be away: for who counts requests, by a pause of this process as well. */
    absences: () =>
      server.logLines
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg.startsWith('redis unavailable'))
        .map(({ err }) => err.message as string)
        .filter((reason) => reason !== 'Command timed out'),
  };
}

describe.runIf(engine && hasRedisServer)('An address of Redis', () => {
  it.each(otherModes.flatMap((mode) => modeNames.map((name) => [mode, name] as const)))(
    'that leads to a %s (%s) is said to, once, and has no Redis, until it leads to one',
    async (mode, modeName) => {
      const wrong = await forThisTest(startRedisIn(mode), ({ stop }) => stop());
      const right = await forThisTest(startRedisServer(), ({ stop }) => stop());
      const server = await serverAt(wrong, modeName);
      await eventually(() => server.told(refusal).every((lines) => lines === 1));
      expect(server.told(`INFO says that it runs as ${mode}`)).toEqual([1, 1, 1]);
      expect(await server.readiness()).toBe('unavailable');
      for (let sent = 0; sent < 4; sent += 1) expect(await server.balance()).toBe(200);
      if (mode === 'cluster') expect(await wrong.ask('keys', '*')).toEqual([]);

      server.leadTo(right);
      await eventually(() => server.told(acceptance).every((lines) => lines === 1));
      await eventually(async () => (await server.readiness()) === 'ok');
      await eventually(
        async () =>
          (await server.balance()) === 200 &&
          ((await right.ask('keys', 'embarque:rate:default:*')) as string[]).length > 0,
      );
      expect(server.told(refusal)).toEqual([1, 1, 1]);
      expect(server.absences()).toEqual([]);
    },
  );
});
