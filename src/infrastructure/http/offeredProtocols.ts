import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hasBody } from './body.ts';

const offers = (text = ''): string[] => text.split(',').map((offer) => offer.trim().toLowerCase());

/** Where WebSockets are spoken: at the path that Express takes for `/graphql`. */
const webSocketPath = /^\/graphql\/?$/i;

/** The path of a target, which may be a URL (RFC 9112, 3.2.2). */
const pathOf = (target = ''): string =>
  target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';

/** Whether a request to change the protocol is for the one that is spoken here, and comes where it is. */
export function offersWebSocket({ headers, url }: IncomingMessage): boolean {
  return offers(headers.upgrade).includes('websocket') && webSocketPath.test(pathOf(url));
}

/** Goes on with a connection once the requests are answered that came on it before: answers come in the order of requests. */
export function inTurn(connection: Duplex, goOn: () => void): void {
  const { underWay } = connection as Socket;
  // Node.js has taken its own listener away by then, and an error that nobody hears would end the process.
  const leave = () => connection.destroy();
  connection.on('error', leave);
  const unlessGone = () => {
    if (connection.destroyed) return;
    connection.off('error', leave);
    goOn();
  };
  if (underWay) underWay.once('close', unlessGone);
  else unlessGone();
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
 * Goes on with a request in HTTP/1.1, which offered a protocol that is not spoken there (RFC 9110, 7.8): Java's HttpClient
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
  inTurn(connection, () => {
    connection.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
    server.emit('connection', connection);
  });
}

const withoutOffer = (options: string): string =>
  offers(options)
    .filter((option) => !offering.includes(option))
    .join(', ');
