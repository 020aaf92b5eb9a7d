/** Ten days of bulletins have some ten kilobytes. */
const longestBytes = 1_000_000;

/**
 * The text at an address, without the byte order mark that it may begin with.
 * @throws Error for any other status than 2xx, and for a text without end; whatever fetch throws
 */
export async function download(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal, headers: { accept: 'application/json' } });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`answered ${response.status}`);
  }
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > longestBytes) throw new Error(`answered more than ${longestBytes} bytes`);
    pieces.push(piece);
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}
