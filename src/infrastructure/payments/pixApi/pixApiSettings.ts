import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What PAYMENT_PROVIDER calls it. */
export const pixApiName = 'pix_api';

/** How the client shows who it is when it asks for a token, by the names that RFC 7591 has for it. */
export const clientAuthentications = ['client_secret_basic', 'client_secret_post'] as const;
export type ClientAuthentication = (typeof clientAuthentications)[number];

/** What the adapter takes from the settings. */
export interface PixApiSettings {
  readonly PIX_API_URL: string | undefined;
  readonly PIX_API_TOKEN_URL: string | undefined;
  readonly PIX_API_CLIENT_ID: string | undefined;
  readonly PIX_API_CLIENT_SECRET: string | undefined;
  readonly PIX_API_CLIENT_AUTHENTICATION: ClientAuthentication;
  readonly PIX_API_SCOPE: string;
  readonly PIX_API_HEADERS: Readonly<Record<string, string>> | undefined;
  readonly PIX_API_CERTIFICATE: string | undefined;
  readonly PIX_API_PRIVATE_KEY: string | undefined;
  readonly PIX_API_CALLBACK_SECRET: string | undefined;
  readonly PIX_KEY: string | undefined;
  readonly PIX_RECEIVER_NAME: string | undefined;
  readonly PIX_RECEIVER_CITY: string | undefined;
  /** Milliseconds. */
  readonly PAYMENT_PROVIDER_TIMEOUT: number;
}

/** Who is paid, as codes that we make ourselves say it to the payer. */
export interface Receiver {
  readonly name: string;
  readonly city: string;
}

/** How to reach the bank's Pix API, and whom it pays. */
export interface PixApi {
  readonly url: URL;
  readonly tokenUrl: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly clientAuthentication: ClientAuthentication;
  readonly scope: string;
  /** Sent with each request, as some banks want keys of their own there. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM of the client's certificate with its chain, and of its private key; null without mTLS. */
  readonly certificate: { readonly cert: string; readonly key: string } | null;
  /** What callbacks show that they are the bank's by; null where it never calls. */
  readonly callbackSecret: string | null;
  /** The Pix key ("chave DICT") that is paid. */
  readonly pixKey: string;
  readonly receiver: Receiver | null;
  readonly timeoutMs: number;
}

const required = [
  'PIX_API_URL',
  'PIX_API_TOKEN_URL',
  'PIX_API_CLIENT_ID',
  'PIX_API_CLIENT_SECRET',
  'PIX_KEY',
] as const;

/** Of these either none or both are set. */
const pairs = [
  ['PIX_API_CERTIFICATE', 'PIX_API_PRIVATE_KEY'],
  ['PIX_RECEIVER_NAME', 'PIX_RECEIVER_CITY'],
] as const;

/** @throws Error naming what is missing or cannot be used: the line with which the start stops. */
export function readPixApi(settings: PixApiSettings): PixApi {
  const missing: string[] = required.filter((name) => settings[name] === undefined);
  for (const [one, other] of pairs) {
    if (settings[one] === undefined && settings[other] !== undefined)
      missing.push(`${one} (beside ${other})`);
    if (settings[other] === undefined && settings[one] !== undefined)
      missing.push(`${other} (beside ${one})`);
  }
  if (missing.length > 0) throw new Error(`PAYMENT_PROVIDER ${pixApiName} needs ${missing.join(', ')}`);
  const { PIX_RECEIVER_NAME: name, PIX_RECEIVER_CITY: city } = settings;
  return {
    url: new URL(settings.PIX_API_URL ?? ''),
    tokenUrl: new URL(settings.PIX_API_TOKEN_URL ?? ''),
    clientId: settings.PIX_API_CLIENT_ID ?? '',
    clientSecret: settings.PIX_API_CLIENT_SECRET ?? '',
    clientAuthentication: settings.PIX_API_CLIENT_AUTHENTICATION,
    scope: settings.PIX_API_SCOPE,
    headers: settings.PIX_API_HEADERS ?? {},
    certificate: readCertificate(settings),
    callbackSecret: settings.PIX_API_CALLBACK_SECRET ?? null,
    pixKey: settings.PIX_KEY ?? '',
    receiver: name && city ? { name, city } : null,
    timeoutMs: settings.PAYMENT_PROVIDER_TIMEOUT,
  };
}

function readCertificate(settings: PixApiSettings): PixApi['certificate'] {
  const { PIX_API_CERTIFICATE: certFile, PIX_API_PRIVATE_KEY: keyFile } = settings;
  if (certFile === undefined || keyFile === undefined) return null;
  const cert = readPem('PIX_API_CERTIFICATE', certFile);
  const key = readPem('PIX_API_PRIVATE_KEY', keyFile);
  try {
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
      throw new Error('the key is that of another certificate');
  } catch (error) {
    // Neither OpenSSL's words nor ours say what stands in them.
    const reason = (error as Error).message;
    throw new Error(
      `PIX_API_CERTIFICATE and PIX_API_PRIVATE_KEY are no certificate and its key in PEM (${reason})`,
    );
  }
  return { cert, key };
}

function readPem(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${setting}: ${(error as Error).message}`);
  }
}
