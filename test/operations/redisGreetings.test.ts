import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventually } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import { startTestServer } from '../harness/server.ts';
import { startServiceLink } from '../harness/serviceLink.ts';

const engine = realEngine();

const connections = ['publisher', 'subscriber', 'rate limits'];

type Pass = (near: Socket, far: Socket) => void;

const passOn: Pass = (near, far) => void near.pipe(far).pipe(near);

/** Turns away whoever says something, as a server does that has never let them in. */
const turnAway =
  (words: string): Pass =>
  (near) =>
    void near.once('data', () => near.end(`-${words}\r\n`));

/** The same, without having read all that was said. */
const turnAwayAtOnce =
  (words: string): Pass =>
  (near) =>
    void near.once('data', () => near.write(`-${words}\r\n`, () => near.resetAndDestroy()));

/** Lets in, and says of itself that it is loading. */
const load: Pass = (near, far) => {
  near.pipe(far);
  far.on('data', (answer) => {
    const told = answer.toString('latin1').replace('\r\nloading:0', '\r\nloading:1');
    near.write(Buffer.from(told, 'latin1'));
  });
};

/** Knows no greeting, after which clients go on with an older protocol, and gives another database than the one asked for. */
const knowNoGreeting: Pass = (near, far) => {
  far.pipe(near);
  near.on('data', (asked) => {
    const heard = asked.toString('latin1').replace('$5\r\nhello', '$6\r\nxhello');
    far.write(Buffer.from(heard.replace('select\r\n$1\r\n3', 'select\r\n$2\r\n99'), 'latin1'));
  });
};

/** A server whose Redis does that, until it is to pass everything on. */
async function serverBefore(pass: Pass) {
  let present = pass;
  const link = await startServiceLink(new URL(process.env.TEST_REDIS_URL ?? ''), (near, far) =>
    present(near, far),
  );
  onTestFinished(() => link.close());
  const server = await startTestServer(engine!, { settings: { REDIS_URL: `${link.url}/3` } });
  onTestFinished(() => server.close());
  const { live: key } = await server.createTeam();
  return {
    letIn() {
      present = passOn;
    },
    cutOff: () => link.close(),
    balance: async () => (await server.rest('GET', '/api/v1/wallet/balance', { key })).status,
    readiness: async () => (await server.rest('GET', '/health/ready')).body.checks.redis,
    /** How often something was said of each connection. */
    told: (...words: string[]) =>
      connections.map(
        (name) =>
          server.logLines.filter((line) =>
            [`"connection":"${name}"`, ...words].every((part) => line.includes(part)),
          ).length,
      ),
  };
}

describe.runIf(engine)('A Redis that lets nobody in', () => {
  it.each([
    [
      'has no password and is in protected mode',
      turnAway(
        'DENIED Redis is running in protected mode because protected mode is enabled and no password is set for the default user.',
      ),
      ['redis refuses the user or password of REDIS_URL: ', 'DENIED Redis is running in protected mode'],
      'redis takes the user and password of REDIS_URL',
    ],
    [
      'has as many clients as it may',
      turnAwayAtOnce('ERR max number of clients reached'),
      ['redis unavailable: ', 'ERR max number of clients reached'],
      'redis is back',
    ],
    [
      'is still loading its data',
      load,
      ['redis unavailable: ', 'INFO says that it is loading its data'],
      'redis is back',
    ],
    [
      'has neither a greeting nor the database',
      knowNoGreeting,
      ['redis refuses the database of REDIS_URL: ', 'DB index is out of range'],
      'redis takes the database of REDIS_URL',
    ],
  ] as const)('since it %s, is told as that, once, until it does', async (_why, pass, lost, back) => {
    const console = vi.spyOn(globalThis.console, 'warn');
    onTestFinished(() => console.mockRestore());
    const server = await serverBefore(pass);
    await eventually(() => server.told(...lost).every((lines) => lines > 0));
    for (let sent = 0; sent < 4; sent += 1) expect(await server.balance()).toBe(200);
    expect(await server.readiness()).toBe('unavailable');
    server.letIn();
    await eventually(() => server.told(back).every((lines) => lines > 0));
    await eventually(async () => (await server.readiness()) === 'ok');
    server.cutOff();
    await eventually(() => server.told('redis unavailable: ', 'ECONNREFUSED').every((lines) => lines > 0));
    expect(server.told(...lost)).toEqual([1, 1, 1]);
    expect(console).not.toHaveBeenCalled();
  });
});
