/** Loaded into a server before it starts: on the message `memory` it collects its garbage and tells what is left. */

process.on('message', (message) => {
  if (message !== 'memory') return;
  // Twice: what the first collection finalises goes with the second.
  globalThis.gc?.();
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ rss, heapUsed });
});
