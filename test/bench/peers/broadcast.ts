import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

/** The limit of subscriptions: a bare ws server that sends a text to all its clients, so many times. */

/** POST / with this as JSON. */
export interface Broadcast {
  text: string;
  times: number;
}

const server = createServer((request, response) => {
  if (request.method !== 'POST') return response.end('{}');
  let body = '';
  request.setEncoding('utf8').on('data', (part: string) => {
    body += part;
  });
  request.on('end', () => {
    const { text, times } = JSON.parse(body) as Broadcast;
    let left = times;
    // A turn of the event loop for each, as events that happen one after another have.
    const next = () => {
      for (const client of sockets.clients) client.send(text);
      left -= 1;
      if (left > 0) setImmediate(next);
      else response.end('{}');
    };
    next();
  });
  return undefined;
});
const sockets = new WebSocketServer({ server });
server.listen(Number(process.env.PORT), '127.0.0.1');
