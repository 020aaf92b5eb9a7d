import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hasBody } from './body.ts';

const offers = (text = ''): string[] => text.split(',').map((offer) => offer.trim().toLowerCase());

/** Whether a request to change the protocol is for the one that is spoken here. */
export function offersWebSocket({ headers }: IncomingMessage): boolean {
  return offers(headers.upgrade).includes('websocket');
}

const readsOfferedBodies = Number.parseInt(process.versions.node, 10) >= 26;

/**
 * Whether an offer has to be declined before Node.js acts on it: from 26 on it reads the body itself (nodejs/node#60016), and a request that was
 * given back without would have the next one taken for its body. Declined so early, Node.js drops what came right after
 * the request, so the connection must end with the answer.
 */
export function isDeclinedAtOnce(request: IncomingMessage): boolean {
  if (!readsOfferedBodies) return false;
  const { upgrade, connection } = request.headers;
  const isOffer = upgrade !== undefined && offers(connection).includes('upgrade');
  return isOffer && !offersWebSocket(request) && hasBody(request);
}

/** Headers that belong to the offer, and what names them in Connection. */
const offering = ['upgrade', 'http2-settings'];

/**
 * Goes on with a request in HTTP/1.1, which offered a protocol that is not spoken here (RFC 9110, 7.8): Java's HttpClient
 * and `curl --http2` offer HTTP/2. Node.js has let go of the connection by then, so it is given back like a new one, with
 * the head of the request written anew without the offer.
 * @param head what came after the request's head.
 */
export function declineOffer(
  server: Server,
  request: IncomingMessage,
  connection: Duplex,
  head: Buffer,
): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    const kept = name.toLowerCase() === 'connection' ? withoutOffer(value) : value;
    if (offering.includes(name.toLowerCase()) || (kept === '' && value !== '')) continue;
    lines.push(`${name}: ${kept}`);
  }
  const goOn = () => {
    if (connection.destroyed) return;
    connection.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
    server.emit('connection', connection);
  };
  // Requests that came before it are answered first: on a connection that is new again, nobody would send this answer.
  const { underWay } = connection as Socket;
  if (underWay) underWay.once('close', goOn);
  else goOn();
}

const withoutOffer = (options: string): string =>
  offers(options)
    .filter((option) => !offering.includes(option))
    .join(', ');
