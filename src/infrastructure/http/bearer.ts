import { createHash, timingSafeEqual } from 'node:crypto';

const pattern = /^Bearer +(\S+)$/i;

/** What an Authorization header's value carries (RFC 6750, 2.1), or undefined when that is nothing of the kind. */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  return pattern.exec(authorization ?? '')?.[1];
}

const digestOf = (text: string) => createHash('sha256').update(text).digest();

/** Whether an Authorization header's value carries a token, told in a time that says nothing of either. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  return timingSafeEqual(digestOf(bearerTokenOf(authorization) ?? ''), digestOf(token));
}
