import { createHash } from 'node:crypto';

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** What no page needs: no other site may frame it, and nothing in it moves the base of its links. */
const unneeded = [`base-uri 'none'`, `frame-ancestors 'none'`];

/**
 * Content-Security-Policy of a page that has its style, and its script if any, in itself: nothing else runs, and nothing is
 * loaded but this server's icon, which browsers ask for beside any page.
 */
export const pagePolicy = ({ style, script }: { style: string; script?: string }): string =>
  [
    `default-src 'none'`,
    `style-src ${hashOf(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    `img-src 'self'`,
    `form-action 'none'`,
    ...unneeded,
  ].join('; ');

/**
 * Content-Security-Policy of a page whose files are those of installed packages: all of it comes from this server.
 * @param more directives of this page
 */
export const packagePagePolicy = (...more: string[]): string =>
  [
    `default-src 'self'`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    ...more,
    ...unneeded,
  ].join('; ');
