import type { GraphQLSchema } from 'graphql';
import type { RequestContext } from '../../src/domain/admission.ts';
import type { OperationBucket } from '../../src/domain/requestCount.ts';
import { Turns } from '../../src/infrastructure/turns.ts';
import { declaredFieldsOf } from '../operation.ts';

/**
 * Counts documents that this process has never read before it does, for a key of which it may have to refuse whatever they
 * ask. @throws AppError 429 over the limit.
 */
export type CountUnread = (sources: readonly string[], context: RequestContext) => Promise<void>;

/**
 * To read a document, and to compile it, takes up to some tenth of a second, and which limit counts what it asks for is known
 * only then: refused after that, a key could keep a process busy with documents that are new each time. Once the limit of most
 * operations is used up, what may be new is read only on that of another operation, which has to stand in its text, and
 * costs one of those whatever it turns out to be.
 */
export function createUnreadCounting(schema: GraphQLSchema): CountUnread {
  const others = [...declaredFieldsOf(schema)].filter(({ rules }) => rules.bucket !== 'default');
  const turns = new Turns(1);
  return async (sources, context) => {
    if (sources.length === 0) return;
    const { caller, count, gateway } = context;
    // Those that come together are each counted before the next is looked at.
    setImmediate(await turns.take(caller.keyId, null));
    const isUsedUp = (bucket: OperationBucket) => gateway.limiter.isUsedUp(bucket, caller.keyId);
    if (!isUsedUp('default')) return;
    for (const source of sources) {
      const named = others
        .filter(({ field }) => source.includes(field.name))
        .map(({ rules }) => rules.bucket);
      const bucket = named.find((one) => !isUsedUp(one)) ?? named[0] ?? 'default';
      await count.addAhead(bucket);
    }
  };
}
