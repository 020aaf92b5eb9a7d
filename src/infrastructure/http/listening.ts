import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Starts a server.
 * @returns its port, and the URL at which it is found.
 * @throws Error naming the settings of an address it cannot have.
 */
export async function listen(
  server: Server,
  { HOST, PORT }: { HOST: string; PORT: number },
): Promise<{ url: string; port: number }> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(new Error(`HOST ${HOST}, PORT ${PORT}: ${error.message}`, { cause: error }));
    });
    server.listen(PORT, HOST, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: urlOf(HOST, port), port };
}

/** Where a server that listens on `HOST` is found from the same machine. */
export function urlOf(HOST: string, port: number): string {
  const host = HOST === '0.0.0.0' || HOST === '::' ? 'localhost' : HOST;
  // The interface of a link-local address is spelt so in URLs (RFC 6874), where the library's parser takes none.
  const spelt = host.includes(':') ? `[${host.replace('%', '%25')}]` : host;
  return `http://${spelt}:${port}`;
}
