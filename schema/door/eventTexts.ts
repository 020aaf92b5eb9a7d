import { createHash } from 'node:crypto';
import type { DocumentNode, ExecutionArgs, ExecutionResult } from 'graphql';
import { createSourceEventStream, executeSync, Kind, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { RequestContext } from '../../src/domain/admission.ts';
import { keptOfObject } from '../../src/infrastructure/keptEntry.ts';
import { LoopRuns } from '../../src/infrastructure/loopRuns.ts';
import type { Event } from '../eventObjects.ts';
import { shownResult } from './shownResult.ts';

/**
 * What subscribers get of an event, as text. Those who ask the same of it share one execution: what a subscription
 * selects depends on nothing but the event, which belongs to one team and mode, and on the variables in its selection.
 */

/**
 * Texts for who comes to the same event a little later, in characters of all: kept with the events themselves, they were
 * there as long as one slow subscriber had those before it.
 */
const keptTexts = new LRUCache<string, string>({
  maxSize: 4_000_000,
  sizeCalculation: (text, name) => text.length + name.length,
});

/**
 * One key may have two thousand subscriptions told of more than a hundred events that happen at a moment, or ask for as many
 * different things of each. Told all at once, they kept everybody else waiting for three seconds, and for half of one.
 */
const tellings = new LoopRuns();

const selectedOf = new WeakMap<DocumentNode, readonly string[]>();

/** Names of the variables that the selection uses; those of the root field's arguments only choose the events. */
function selectedVariables(document: DocumentNode): readonly string[] {
  const found = new Set<string>();
  const note = { Variable: ({ name }: { name: { value: string } }) => void found.add(name.value) };
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) visit(definition, note);
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const selection of definition.selectionSet.selections) {
      for (const directive of selection.directives ?? []) visit(directive, note);
      if ('selectionSet' in selection && selection.selectionSet) visit(selection.selectionSet, note);
    }
  }
  return [...found];
}

/** Names what a subscription asks of any event. */
function shapeOf(source: string, { document, operationName, variableValues }: ExecutionArgs): string {
  const names = keptOfObject(selectedOf, document, () => selectedVariables(document));
  const values = names.map((name) => variableValues?.[name]);
  const shape = JSON.stringify([source, operationName ?? null, values]);
  return createHash('sha256').update(shape).digest('base64');
}

function textOf(event: Event, shape: string, args: ExecutionArgs): string {
  const name = `${event.id} ${shape}`;
  const kept = keptTexts.get(name);
  if (kept !== undefined) return kept;
  const result = executeSync({ ...args, rootValue: event });
  const text = JSON.stringify(shownResult(result, args.contextValue as RequestContext));
  // Of one with errors each subscriber gets its own.
  if (!result.errors) keptTexts.set(name, text);
  return text;
}

/**
 * Texts of the results of a subscription until it ends, or the result that says why it cannot begin. `source` is the text
 * of its document.
 */
export async function subscribeTexts(
  source: string,
  args: ExecutionArgs,
): Promise<AsyncIterableIterator<string> | ExecutionResult> {
  const stream = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in stream)) return stream;
  const events = stream[Symbol.asyncIterator]() as AsyncIterator<Event>;
  const shape = shapeOf(source, args);
  const { keyId } = (args.contextValue as RequestContext).caller;
  const texts: AsyncIterableIterator<string> = {
    async next() {
      const next = await events.next();
      if (next.done) return { value: undefined, done: true };
      const turn = tellings.enter(keyId, texts);
      if (turn) await turn;
      return { value: textOf(next.value, shape, args), done: false };
    },
    // At once, as the events' own end is: a generator would sit the next event out.
    async return() {
      await events.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return texts;
}
