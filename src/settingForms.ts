import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import { looksLikeSecretKey } from './domain/teams/secretKey.ts';

/** The forms that values of settings have, each with what is said of a value that has it not. */

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds of a duration written as `500ms`, `2s`, `30m`, `24h` or `3d`; null when it is not one. */
function parseDurationMs(text: string): number | null {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim());
  return match ? Number(match[1]) * unitMs[match[2] as keyof typeof unitMs] : null;
}

/** Ten years: a time beyond it is a slip, and may be one that no calendar has. */
const longestMs = 3_650 * unitMs.d;

/** Node's timers count to 24.8 days, and take anything longer for one millisecond. */
export const timer = { maximumMs: 24 * unitMs.d };

/** Nothing that is waited for or remembered may last no time unless it says so: a window of 0 s would never end. */
export const duration = (fallback: string, { minimumMs = 1, maximumMs = longestMs } = {}) =>
  z
    .string()
    .default(fallback)
    .transform((text, context) => {
      const milliseconds = parseDurationMs(text);
      if (milliseconds !== null && milliseconds >= minimumMs && milliseconds <= maximumMs)
        return milliseconds;
      const quoted = JSON.stringify(text);
      const message =
        milliseconds === null
          ? `${quoted} is not a duration such as 500ms, 2s, 30m or 24h`
          : milliseconds < minimumMs
            ? `${quoted} is shorter than ${minimumMs}ms`
            : `${quoted} is longer than ${maximumMs / unitMs.d}d`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });

/** One duration for each attempt, separated by commas. */
export const durations = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((text, context) => {
      const milliseconds = text.split(',').map(parseDurationMs);
      if (milliseconds.every((delay): delay is number => delay !== null && delay <= longestMs))
        return milliseconds;
      const message = `${JSON.stringify(text)} is not a list of durations such as 0s,5m,30m`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });

export const flag = (fallback: 'true' | 'false') =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .default(fallback)
    .transform((text) => text === 'true');

/** Digits alone: `Number` would read 0x10 as 16, and a space as 0. */
export const wholeNumber = z
  .string()
  .trim()
  .regex(/^-?\d{1,15}$/, 'must be a whole number')
  .transform(Number);

/** In words when they are asked for: what Node.js knows of languages takes a fortieth of a start to load. */
export const oneOf = <Name extends string>(names: readonly [Name, ...Name[]]) =>
  z.enum(names, {
    error: () => `must be ${new Intl.ListFormat('en', { type: 'disjunction' }).format(names)}`,
  });

export const count = (fallback: number) =>
  wholeNumber.pipe(z.number().min(1, 'must be at least 1')).default(fallback);

/** `host`: whether it must name one. Of a database it may be left out, and spaces may stand in the options of its sessions. */
export const url = (protocols: string[], { host = false } = {}) =>
  z
    .string()
    .trim()
    .refine((text) => protocols.some((protocol) => text.startsWith(`${protocol}://`)), {
      message: `must start with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
      abort: true,
    })
    // URL takes lines and tabs out, and whoever is given the text would not.
    .refine((text) => !(host ? /\s/ : /[^\S ]/).test(text), { message: 'has a blank in it', abort: true })
    .refine((text) => {
      if (host) return URL.canParse(text) && new URL(text).hostname !== '';
      // postgres://user@/name?host=/var/run/postgresql names a folder of sockets; URL takes no user without a host.
      return URL.canParse(text.replace('@/', '@localhost/'));
    }, 'is not a URL');

export const optionalUrl = (...kind: Parameters<typeof url>) => url(...kind).optional();

/** Whether user and password of a URL can be decoded: URL takes a % that stands for itself, and who decodes it throws. */
export function hasDecodableLogin(text: string): boolean {
  const { username, password } = new URL(text);
  try {
    // Of no use otherwise, the calls would be left out of the bundle.
    return [username, password].map(decodeURIComponent).length === 2;
  } catch {
    return false;
  }
}

/** Whether a URL of the web has a user in it, or room for one: behind as many slashes as URL lets pass. */
export const namesUser = (text: string): boolean => /^\w+:\/{2,}[^/]*@/.test(text);

export const apiKey = (prefix: string) =>
  z
    .string()
    .refine((text) => text.startsWith(prefix) && looksLikeSecretKey(text), {
      message: `must be ${prefix} and 8 to 128 letters, digits or characters of base64`,
    })
    .optional();

const keyForm = '32 bytes: 64 hexadecimal digits or 44 characters of base64';

/** 32 bytes, written as `openssl rand` prints them with -hex or -base64. @returns 64 hexadecimal digits. */
export const encryptionKey = z
  .string()
  .regex(/^(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?)$/, `must be ${keyForm}`)
  .transform((text) => (text.length === 64 ? text : Buffer.from(text, 'base64').toString('hex')));

/** Faults say nothing of which is wrong: it might be quoted. */
export const encryptionKeys = z.string().transform((text, context) => {
  const keys = text.split(',').map((key) => encryptionKey.safeParse(key.trim()));
  if (keys.every((key) => key.success)) return keys.map(({ data }) => data);
  context.addIssue({ code: 'custom', message: `must be keys of ${keyForm}, separated by commas` });
  return z.NEVER;
});

function areHeaders(json: unknown): json is Record<string, string> {
  const headers = z.record(z.string(), z.string()).safeParse(json);
  if (!headers.success) return false;
  try {
    for (const [name, value] of Object.entries(headers.data)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    return true;
  } catch {
    return false;
  }
}

/** Header fields as a JSON object of texts. Faults quote none: they may be secrets. */
export const headerFields = z.string().transform((text, context) => {
  try {
    const json: unknown = JSON.parse(text);
    if (areHeaders(json)) return json;
  } catch {
    // As wrong as what is JSON of something else.
  }
  context.addIssue({ code: 'custom', message: 'must be header fields as JSON, such as {"X-Api-Key":"..."}' });
  return z.NEVER;
});
