import type { Settings } from './config.ts';
import type { Bootstrap, BootstrapKeys, KeySetting } from './domain/teams/bootstrap.ts';

const settingOf = {
  live: 'BOOTSTRAP_LIVE_KEY',
  test: 'BOOTSTRAP_TEST_KEY',
  operator: 'BOOTSTRAP_ADMIN_KEY',
} as const satisfies Record<keyof BootstrapKeys, KeySetting>;

const notedAs = { live: '$LIVE', test: '$TEST', operator: '$ADMIN' } as const;

/**
 * A random key is shown when it is made. One that was chosen, and taken, is known already, and output ends up in logs.
 * Later on, README's names stand for those that somebody has noted down.
 */
function shownKey(kind: keyof BootstrapKeys, { keys, ignored }: Bootstrap, settings: Settings): string {
  const setting = settingOf[kind];
  if (settings[setting] !== undefined && !ignored.includes(setting)) return `$${setting}`;
  return keys ? keys[kind] : notedAs[kind];
}

function keyLines(bootstrap: Bootstrap, settings: Settings): string[] {
  return [
    '  Keys of the demo team, shown this once:',
    '',
    `    live       ${shownKey('live', bootstrap, settings)}`,
    `    test       ${shownKey('test', bootstrap, settings)}`,
    `    operator   ${shownKey('operator', bootstrap, settings)}`,
    '',
  ];
}

function doorLines(url: string, testKey: string): string[] {
  return [
    testKey === notedAs.test ? `  Try it, with a test key as ${testKey}:` : '  Try it:',
    '',
    `    curl -s ${url}/api/v1/wallet/balance -H "Authorization: Bearer ${testKey}"`,
    '',
    `    curl -s ${url}/graphql -H "Authorization: Bearer ${testKey}" \\`,
    "      -H 'Content-Type: application/json' \\",
    `      -d '{"query":"{ walletBalance { balance availableCredit } }"}'`,
    '',
  ];
}

/** What the first look at a started server shows: where things are, and lines to paste. */
export function printBanner(url: string, bootstrap: Bootstrap, settings: Settings): void {
  const isApi = settings.ROLES.includes('api');
  const lines = [
    '',
    `  Embarque is ready at ${url}`,
    '',
    ...(isApi
      ? [
          `    REST docs      ${url}/docs`,
          `    GraphiQL       ${url}/graphql   (subscriptions: graphql-ws and SSE at the same path)`,
        ]
      : []),
    `    Operations     ${url}/health/ready   ${url}/metrics`,
    '',
    ...(bootstrap.keys ? keyLines(bootstrap, settings) : []),
    ...(isApi ? doorLines(url, shownKey('test', bootstrap, settings)) : []),
  ];
  // A pipe that nobody reads, or a full disk, is no reason for a server to end.
  process.stdout.on('error', () => undefined);
  process.stdout.write(`${lines.join('\n')}\n`);
}
