import { createServer } from 'node:http';
import { WebSocket } from 'ws';

/** Many WebSocket clients in one process, which count what they get. */

/** POST /open with this as JSON opens clients in place of those before, and answers when all are open. */
export interface Listening {
  url: string;
  count: number;
  protocol: string | null;
  /** Sent when a socket opens, and when its first message has come. */
  first: string | null;
  second: string | null;
}

/** GET / and POST /reset answer with it. */
export interface Heard {
  messages: number;
  /** Milliseconds since 1970, with fractions; null before the first. */
  firstMs: number | null;
  lastMs: number | null;
  /** The last message. */
  sample: string;
}

const nowMs = () => performance.timeOrigin + performance.now();
let sockets: WebSocket[] = [];
let heard: Heard;
const reset = () => {
  heard = { messages: 0, firstMs: null, lastMs: null, sample: '' };
};
reset();

function listen({ url, protocol, first, second }: Listening): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, protocol ?? [], { perMessageDeflate: false });
    let greeted = second === null;
    socket.on('error', reject);
    socket.on('open', () => {
      if (first !== null) socket.send(first);
      if (greeted) resolve(socket);
    });
    socket.on('message', (data: Buffer) => {
      if (!greeted) {
        greeted = true;
        socket.send(second ?? '');
        resolve(socket);
        return;
      }
      heard.messages += 1;
      heard.lastMs = nowMs();
      heard.firstMs ??= heard.lastMs;
      if (heard.sample === '') heard.sample = String(data);
    });
  });
}

async function open(listening: Listening): Promise<void> {
  for (const socket of sockets) socket.terminate();
  sockets = [];
  for (let index = 0; index < listening.count; index += 1) sockets.push(await listen(listening));
}

createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (part: string) => {
    body += part;
  });
  request.on('end', async () => {
    if (request.url === '/open') await open(JSON.parse(body) as Listening);
    else if (request.method === 'POST') reset();
    response.end(JSON.stringify(heard));
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
