import type { DocumentNode, ExecutionArgs, ExecutionResult } from 'graphql';
import { createSourceEventStream, execute, Kind, visit } from 'graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { keptEntry } from '../src/infrastructure/keptEntry.ts';
import { rendered } from './preparation.ts';

/**
 * What subscribers get of an event, as text. Those who ask the same of it share one execution: what a subscription
 * selects depends on nothing but the event, which belongs to one team and mode, and on the variables in its selection.
 */

interface Told {
  result: ExecutionResult | Promise<ExecutionResult>;
  /** The rendered result; null as long as there is none, and for one with errors, which each subscriber gets its own of. */
  text: string | null;
}

const toldOf = new WeakMap<object, Map<string, Told>>();

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

function shapeOf(source: string, { document, operationName, variableValues }: ExecutionArgs): string {
  const names = keptEntry(selectedOf, document, () => selectedVariables(document));
  const values = names.map((name) => variableValues?.[name]);
  return JSON.stringify([source, operationName ?? null, values]);
}

function tell(event: object, shape: string, args: ExecutionArgs): Told {
  const shapes = keptEntry(toldOf, event, () => new Map<string, Told>());
  return keptEntry(shapes, shape, () => ({
    result: execute({ ...args, rootValue: event }) as Told['result'],
    text: null,
  }));
}

async function textOf(event: object, shape: string, args: ExecutionArgs): Promise<string> {
  const told = tell(event, shape, args);
  if (told.text !== null) return told.text;
  const result = await told.result;
  const text = told.text ?? JSON.stringify(rendered(result, args.contextValue as RequestContext));
  if (!result.errors) told.text = text;
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
  const events = stream[Symbol.asyncIterator]() as AsyncIterator<object>;
  const shape = shapeOf(source, args);
  const texts: AsyncIterableIterator<string> = {
    async next() {
      const next = await events.next();
      if (next.done) return { value: undefined, done: true };
      return { value: await textOf(next.value, shape, args), done: false };
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
