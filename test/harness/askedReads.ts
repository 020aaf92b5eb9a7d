import { onTestFinished, vi } from 'vitest';
import { SharedConnections } from '../../src/infrastructure/database/sharedConnections.ts';
import type { TestServer } from './server.ts';

/**
 * Watches, until the test is over, what the server asks the database over the connections that reads share: each read once,
 * though one that gets no answer for a second is sent over others, too.
 * @returns the values of those asked so far of a statement, in order.
 */
export function watchReads(server: Pick<TestServer, 'running'>): (name: string) => unknown[][] {
  const asked = vi.spyOn(SharedConnections.of(server.running.gateway.platform.sequelize), 'query');
  onTestFinished(() => asked.mockRestore());
  return (name) => asked.mock.calls.flatMap(([read]) => (read.name === name ? [read.values] : []));
}
