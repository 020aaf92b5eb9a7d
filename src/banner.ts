import type { BootstrapKeys } from './domain/teams/bootstrap.ts';

/** What the first look at a started server shows: where things are, and lines to paste. */
export function printBanner(url: string, keys: BootstrapKeys | null): void {
  const testKey = keys?.test ?? '$EMBARQUE_TEST_KEY';
  const lines = [
    '',
    `  Embarque is ready at ${url}`,
    '',
    `    REST docs      ${url}/docs`,
    `    GraphiQL       ${url}/graphql   (subscriptions: graphql-ws and SSE at the same path)`,
    `    Operations     ${url}/health/ready   ${url}/metrics`,
    '',
    ...(keys
      ? [
          '  Keys of the demo team, shown this once:',
          '',
          `    live       ${keys.live}`,
          `    test       ${keys.test}`,
          `    operator   ${keys.operator}`,
          '',
        ]
      : []),
    '  Try it:',
    '',
    `    curl -s ${url}/api/v1/wallet/balance -H 'Authorization: Bearer ${testKey}'`,
    '',
    `    curl -s ${url}/graphql -H 'Authorization: Bearer ${testKey}' \\`,
    "      -H 'Content-Type: application/json' \\",
    `      -d '{"query":"{ walletBalance { balance availableCredit } }"}'`,
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
