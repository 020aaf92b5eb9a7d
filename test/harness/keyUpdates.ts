import { createCipheriv, createHmac } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Server, TLSSocket } from 'node:tls';

const hash = 'sha384';
const hashBytes = 48;
/** KeyUpdate, of one byte, asking for none in return (RFC 8446 §4.6.3), and that it is of the handshake. */
const message = Buffer.from([24, 0, 0, 1, 0, 22]);
const recordHead = Buffer.from([23, 3, 3, 0, message.length + 16]);
/** Those that Node.js hands out as soon as TLS stands, each in a record. */
const ticketRecords = 2;

/** What the keys of each connection are made of that the server writes with. */
const secrets = new WeakMap<TLSSocket, Buffer>();

/** Lets `pourKeyUpdates` write over the connections of this server. */
export function rememberSecrets(server: Server): void {
  server.on('keylog', (line, socket) => {
    const [label, , secret] = line.toString().trim().split(' ');
    if (label === 'SERVER_TRAFFIC_SECRET_0') secrets.set(socket, Buffer.from(secret!, 'hex'));
  });
}

/**
 * Changes the keys of TLS 1.3 for ever, as fast as the other side takes it. Node.js never does, so that the records are
 * made here, in its preferred cipher (AES-256-GCM with SHA-384), and written past it. `written` is how many records it
 * has made of what was written so far.
 */
export function pourKeyUpdates(socket: TLSSocket, written: number): void {
  const tcp = (socket as TLSSocket & { _parent: Socket })._parent;
  let secret = secrets.get(socket)!;
  let sequence = ticketRecords + written;
  const keyUpdate = (): Buffer => {
    const nonce = expand(secret, 'iv', 12);
    nonce[11]! ^= sequence;
    const cipher = createCipheriv('aes-256-gcm', expand(secret, 'key', 32), nonce).setAAD(recordHead);
    const sealed = Buffer.concat([cipher.update(message), cipher.final()]);
    secret = expand(secret, 'traffic upd', hashBytes);
    sequence = 0;
    return Buffer.concat([recordHead, sealed, cipher.getAuthTag()]);
  };
  // Behind the tickets, which may leave with this turn, and a few at a time: who reads them has a turn in between.
  const more = (): void => {
    if (tcp.destroyed) return;
    tcp.write(Buffer.concat(Array.from({ length: 50 }, keyUpdate)), () => setImmediate(more));
  };
  setImmediate(more);
}

/** HKDF-Expand-Label (RFC 8446 §7.1) without a context, of at most one hash. */
function expand(secret: Buffer, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.from([0, length, name.length, ...name, 0, 1]);
  return createHmac(hash, secret).update(info).digest().subarray(0, length);
}
