import { startServiceLink } from '../../harness/serviceLink.ts';

type Rewriting = (text: string) => string;

/**
 * Stands between a server and its database, and has each hear something else than the other says: a text as long, of
 * which each byte is a character.
 */
export const startRewritingLink = (
  target: URL,
  { asked = (text) => text, told = (text) => text }: { asked?: Rewriting; told?: Rewriting },
) => {
  const rewritten = (bytes: Buffer, rewriting: Rewriting) =>
    Buffer.from(rewriting(bytes.toString('latin1')), 'latin1');
  return startServiceLink(target, (near, far) => {
    near.on('data', (bytes: Buffer) => far.write(rewritten(bytes, asked)));
    far.on('data', (bytes: Buffer) => near.write(rewritten(bytes, told)));
  });
};
