import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hasBody } from './body.ts';

const offers = (text = ''): string[] => text.split(',').map((offer) => offer.trim().toLowerCase());

/** Where WebSockets are spoken: at the path that Express takes for `/graphql`. */
const webSocketPath = /^\/graphql\/?$/;

/** The path of a target, which may be a URL (RFC 9112, 3.2.2). */
export const pathOf = (target = ''): string =>
  target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';

/**
 * Whether a request to change the protocol is for the one that is spoken here, and comes where it is. A WebSocket begins with
 * GET (RFC 6455, 4.1): any other is an operation over HTTP, sent through a proxy that offers WebSockets whatever it passes on.
 */
export function offersWebSocket({ method, headers, url }: IncomingMessage): boolean {
  return method === 'GET' && offers(headers.upgrade).includes('websocket') && webSocketPath.test(pathOf(url));
}

/** What Node.js does for a connection until something is offered on it, when it takes all its listeners away. */
const listenersOf = (connection: Duplex): Readonly<Record<string, () => void>> => {
  const leave = () => connection.destroy();
  return {
    // An error that nobody hears would end the process.
    error: leave,
    end: leave,
    timeout: leave,
    // The answer that has the connection goes on only once it hears that there is room.
    drain: () => (connection as { _httpMessage?: ServerResponse | null })._httpMessage?.emit('drain'),
  };
};

/** Goes on with a connection once the requests are answered that came on it before: answers come in the order of requests. */
export function onceAnswered(connection: Duplex, goOn: () => void): void {
  const { underWay } = connection as Socket;
  if (!underWay) {
    goOn();
    return;
  }
  const listeners = Object.entries(listenersOf(connection));
  for (const [event, listener] of listeners) connection.on(event, listener);
  underWay.once('close', () => {
    if (connection.destroyed) return;
    for (const [event, listener] of listeners) connection.off(event, listener);
    goOn();
  });
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
  onceAnswered(connection, () => {
    connection.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
    server.emit('connection', connection);
  });
}

const withoutOffer = (options: string): string =>
  offers(options)
    .filter((option) => !offering.includes(option))
    .join(', ');
