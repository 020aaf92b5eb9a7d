import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/**
 * Certificates made in memory for the receivers of a test run: an authority of our own, a good certificate, and
 * one for each way in which a certificate can be bad.
 */

export interface KeyPair {
  /** PEM. */
  cert: string;
  /** PEM. */
  key: string;
}

export interface Certificates {
  /** PEM of the authority that a sender under test must trust. */
  authority: string;
  /** For localhost, 127.0.0.1, ::1 and every *.receiver.test. */
  valid: KeyPair;
  /** As good, with a key of the kind that most receivers have. */
  rsa: KeyPair;
  expired: KeyPair;
  notYetValid: KeyPair;
  selfSigned: KeyPair;
  /** For another.test only. */
  wrongHost: KeyPair;
  /** Of an authority that nobody trusts. */
  unknownAuthority: KeyPair;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const rsaAlgorithm = {
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength: 2_048,
  publicExponent: Uint8Array.of(1, 0, 1),
  hash: 'SHA-256',
};
const dayMs = 86_400_000;
const ourNames: x509.JsonGeneralNames = [
  { type: 'dns', value: 'localhost' },
  { type: 'dns', value: '*.receiver.test' },
  { type: 'ip', value: '127.0.0.1' },
  { type: 'ip', value: '::1' },
];

let made: Promise<Certificates> | null = null;

/** Made once for each test process. */
export function testCertificates(): Promise<Certificates> {
  made ??= makeCertificates();
  return made;
}

async function makeCertificates(): Promise<Certificates> {
  const authority = await issue({ commonName: 'Test authority', names: null, issuer: null });
  const stranger = await issue({ commonName: 'Unknown authority', names: null, issuer: null });
  const leaf = { commonName: 'receiver.test', names: ourNames, issuer: authority };
  return {
    authority: authority.cert,
    valid: await issue(leaf),
    rsa: await issue({ ...leaf, keyAlgorithm: rsaAlgorithm }),
    expired: await issue({ ...leaf, fromDays: -30, toDays: -1 }),
    notYetValid: await issue({ ...leaf, fromDays: 1, toDays: 30 }),
    selfSigned: await issue({ ...leaf, issuer: null }),
    wrongHost: await issue({ ...leaf, names: [{ type: 'dns', value: 'another.test' }] }),
    unknownAuthority: await issue({ ...leaf, issuer: stranger }),
  };
}

interface Issued extends KeyPair {
  certificate: x509.X509Certificate;
  privateKey: CryptoKey;
}
type CryptoKey = webcrypto.CryptoKey;

interface IssueOptions {
  commonName: string;
  /** Null for an authority. */
  names: x509.JsonGeneralNames | null;
  /** Null for a certificate that signs itself. */
  issuer: Issued | null;
  fromDays?: number;
  toDays?: number;
  keyAlgorithm?: webcrypto.EcKeyGenParams | webcrypto.RsaHashedKeyGenParams;
}

async function issue({
  commonName,
  names,
  issuer,
  fromDays = -1,
  toDays = 30,
  keyAlgorithm = algorithm,
}: IssueOptions): Promise<Issued> {
  const keys = await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: Buffer.from(webcrypto.getRandomValues(new Uint8Array(8))).toString('hex'),
    subject: `CN=${commonName}`,
    issuer: issuer ? issuer.certificate.subject : `CN=${commonName}`,
    notBefore: new Date(Date.now() + fromDays * dayMs),
    notAfter: new Date(Date.now() + toDays * dayMs),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: issuer ? issuer.privateKey : keys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(names === null, undefined, true),
      ...(names ? [new x509.SubjectAlternativeNameExtension(names)] : []),
    ],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    cert: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
    certificate,
    privateKey: keys.privateKey,
  };
}
