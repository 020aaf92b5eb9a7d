import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { type Certificates, testCertificates } from '../../harness/certificates.ts';
import { pourKeyUpdates } from '../../harness/keyUpdates.ts';
import {
  type Agreement,
  answer,
  type Behaviour,
  type Receiver,
  startReceiver,
} from '../../harness/receiver.ts';

/** Every way of misbehaving, by name: what it does, and what the one recorded attempt must say of it. */
export interface Misbehaviour {
  /** `timeoutMs` is the sender's, for those that miss it by a hair. */
  behave(timeoutMs: number): Behaviour;
  certificate?: keyof Omit<Certificates, 'authority'>;
  agreement?: Agreement;
  expected: { ok: boolean; statusCode: number | null; reason: string };
  /** Is waited for until the timeout. */
  holds?: boolean;
  /** Reaches no request: TLS does not come about. */
  silentOnTheWire?: boolean;
}

const ok200 = { ok: true, statusCode: 200, reason: 'ok' };
const nothing = (reason: string) => ({ ok: false, statusCode: null, reason });

/** Calls `step` every `everyMs` until the socket is gone. */
function repeat(socket: TLSSocket, everyMs: number, step: (round: number) => void): void {
  let round = 0;
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer);
    else step(round++);
  }, everyMs);
  socket.on('close', () => clearInterval(timer));
}

/** Writes `chunk` for ever, as fast as the other side takes it. */
function pour(socket: TLSSocket, chunk: Buffer): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

function trickle(socket: TLSSocket, text: string, everyMs: number): void {
  repeat(socket, everyMs, (round) => {
    if (round < text.length) socket.write(text[round]!);
  });
}

const mebibyte = Buffer.alloc(1_024 * 1_024, 'x');
const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n';

export const misbehaviours = {
  'redirects elsewhere': {
    behave: () => answer(302, 'moved', { Location: 'https://127.0.0.1:9/' }),
    expected: { ok: false, statusCode: 302, reason: 'redirect' },
  },
  'sends one 100 Continue nobody asked for, then 200': {
    behave: () => (_request, socket) =>
      socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    expected: ok200,
  },
  'floods with 1xx answers': {
    behave: () => (_request, socket) => pour(socket, Buffer.from(interim.repeat(400))),
    expected: nothing('protocol_error'),
  },
  'drips 1xx answers': {
    behave: () => (_request, socket) => repeat(socket, 20, () => socket.write(interim)),
    expected: nothing('timeout'),
    holds: true,
  },
  'switches protocols (101)': {
    behave: () => (_request, socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    expected: { ok: false, statusCode: 101, reason: 'protocol_error' },
  },
  'answers just after the timeout': {
    behave: (timeoutMs) => (request, socket) => {
      setTimeout(() => answer(200)(request, socket), timeoutMs + 1);
    },
    expected: nothing('timeout'),
    holds: true,
  },
  'never answers': { behave: () => () => {}, expected: nothing('timeout'), holds: true },
  'drips the status line': {
    behave: (timeoutMs) => (_request, socket) => trickle(socket, 'HTTP/1.1 200 OK\r\n\r\n', timeoutMs / 5),
    expected: nothing('timeout'),
    holds: true,
  },
  'drips the headers behind a 200': {
    behave: (timeoutMs) => (_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      trickle(socket, `X-Slow: ${'a'.repeat(1_000)}`, timeoutMs / 5);
    },
    expected: ok200,
    holds: true,
  },
  'drips the body': {
    behave: (timeoutMs) => (_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
      trickle(socket, 'a'.repeat(1_000), timeoutMs / 5);
    },
    expected: ok200,
    holds: true,
  },
  'sends a body without end': {
    behave: () => (_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      pour(socket, mebibyte);
    },
    expected: ok200,
  },
  'sends chunks without end': {
    behave: () => (_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      pour(socket, Buffer.concat([Buffer.from('100000\r\n'), mebibyte, Buffer.from('\r\n')]));
    },
    expected: ok200,
  },
  'announces and sends 10 GB': {
    behave: () => (_request, socket) => {
      socket.write('HTTP/1.1 500 Oops\r\nContent-Length: 10737418240\r\n\r\n');
      pour(socket, mebibyte);
    },
    expected: { ok: false, statusCode: 500, reason: 'http_status' },
  },
  'sends a gzip bomb': {
    behave() {
      const bomb = gzipSync(Buffer.alloc(32 * 1_024 * 1_024));
      return (_request, socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
        socket.write(bomb);
      };
    },
    expected: ok200,
  },
  'breaks the body off': {
    behave: () => (_request, socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this'),
    expected: ok200,
  },
  'resets the connection': {
    behave: () => (_request, socket) => reset(socket),
    expected: nothing('connection_reset'),
  },
  'closes without an answer': {
    behave: () => (_request, socket) => socket.end(),
    expected: nothing('connection_closed'),
  },
  'sends 80 KB of headers behind a 200': {
    behave: () => (_request, socket) =>
      socket.write(
        `HTTP/1.1 200 OK\r\n${'X-Padding: 0123456789\r\n'.repeat(3_600)}Content-Length: 0\r\n\r\n`,
      ),
    expected: ok200,
  },
  'sends a status line of 80 KB': {
    behave: () => (_request, socket) => socket.write(`HTTP/1.1 200 ${'x'.repeat(80_000)}\r\n\r\n`),
    expected: nothing('protocol_error'),
  },
  'speaks something else': {
    behave: () => (_request, socket) => socket.write('220 mail.example.com ESMTP\r\n'),
    expected: nothing('protocol_error'),
  },
  'speaks HTTP/2 from the start, and waits for us to': {
    // SETTINGS, with nothing in them.
    behave: () => (_request, socket) => socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])),
    expected: nothing('protocol_error'),
  },
  'has TLS agreed on anew, again and again': {
    behave: () => (_request, socket) => {
      const again = (error: Error | null): void => {
        if (error === null && !socket.destroyed) socket.renegotiate({}, again);
      };
      again(null);
    },
    agreement: { maxVersion: 'TLSv1.2' },
    expected: nothing('tls_handshake'),
  },
  'answers a request without TLS': {
    behave: () => (_request, socket) => tcpUnder(socket).write('HTTP/1.1 400 Bad Request\r\n\r\n'),
    expected: nothing('protocol_error'),
  },
  'answers with a record that cannot be deciphered': {
    behave: () => (_request, socket) =>
      tcpUnder(socket).write(Buffer.concat([Buffer.from([23, 3, 3, 0, 64]), Buffer.alloc(64)])),
    expected: nothing('protocol_error'),
  },
  'wants a certificate of ours': {
    behave: () => answer(200),
    agreement: { requestCert: true, rejectUnauthorized: true },
    expected: nothing('tls_handshake'),
    silentOnTheWire: true,
  },
  'changes its keys without end': {
    behave: () => (_request, socket) => pourKeyUpdates(socket, 0),
    expected: nothing('protocol_error'),
  },
  'changes its keys without end behind a status line': {
    behave: () => (_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n', () => pourKeyUpdates(socket, 1));
    },
    expected: ok200,
  },
  'agrees on keys over a number of its own': {
    behave: () => answer(200),
    certificate: 'rsa',
    agreement: { maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' },
    expected: nothing('tls_handshake'),
    silentOnTheWire: true,
  },
  'agrees on keys over one of the numbers of TLS 1.3': {
    behave: () => answer(200),
    agreement: { ecdhCurve: 'ffdhe8192' },
    expected: nothing('tls_handshake'),
    silentOnTheWire: true,
  },
  'would rather agree on keys over a large number': {
    behave: () => answer(200),
    agreement: { ecdhCurve: 'ffdhe8192:P-256' },
    expected: ok200,
  },
  'agrees on keys over a curve': {
    behave: () => answer(200),
    certificate: 'rsa',
    agreement: { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' },
    expected: ok200,
  },
  'has an expired certificate': {
    behave: () => answer(200),
    certificate: 'expired',
    expected: nothing('tls_certificate'),
    silentOnTheWire: true,
  },
  'has a certificate of the future': {
    behave: () => answer(200),
    certificate: 'notYetValid',
    expected: nothing('tls_certificate'),
    silentOnTheWire: true,
  },
  'has a self-signed certificate': {
    behave: () => answer(200),
    certificate: 'selfSigned',
    expected: nothing('tls_certificate'),
    silentOnTheWire: true,
  },
  'has a certificate for another host': {
    behave: () => answer(200),
    certificate: 'wrongHost',
    expected: nothing('tls_certificate'),
    silentOnTheWire: true,
  },
  'has a certificate of an unknown authority': {
    behave: () => answer(200),
    certificate: 'unknownAuthority',
    expected: nothing('tls_certificate'),
    silentOnTheWire: true,
  },
} satisfies Record<string, Misbehaviour>;

export type MisbehaviourName = keyof typeof misbehaviours;

/** A receiver on loopback that misbehaves in the named way on every request. */
export async function startHostileReceiver(name: MisbehaviourName, timeoutMs: number): Promise<Receiver> {
  const misbehaviour: Misbehaviour = misbehaviours[name];
  const certificates = await testCertificates();
  return startReceiver(misbehaviour.behave(timeoutMs), {
    certificate: certificates[misbehaviour.certificate ?? 'valid'],
    ...(misbehaviour.agreement ? { agreement: misbehaviour.agreement } : {}),
  });
}

/** RST instead of FIN: the socket under TLS is told to drop the connection. */
export function reset(socket: TLSSocket): void {
  tcpUnder(socket).resetAndDestroy();
}

const tcpUnder = (socket: TLSSocket): Socket => (socket as TLSSocket & { _parent: Socket })._parent;
