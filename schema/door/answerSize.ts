import type { ExecutionResult } from 'graphql';
import { OperationTypeNode } from 'graphql';
import type { RequestContext } from '../../src/domain/admission.ts';
import { AppError, validationError } from '../../src/errors.ts';
import { renderError, wrap } from '../errors.ts';
import { writableJson } from './writableJson.ts';

/**
 * How large the answer to one request may be, in characters of its JSON, all operations of a batch together. The limits
 * of documents do not say: what a document asks for once may be there a thousand times. A search that finds a thousand
 * offers, the most that is kept of one, comes to five million.
 */
const longestAnswer = 8 * 1_024 * 1_024;

/** So many characters of an answer, or a part of as many, count as a request. */
const countedCharacters = 1_024 * 1_024;

/**
 * So many objects of an answer, or a part of as many, count as a request, where that makes more requests: to put them
 * together takes some thirty milliseconds, however little is asked of each. Those of usual answers are long enough for
 * their characters to count as often.
 */
const countedObjects = 16_384;

/** No shorter text holds more of them. */
const uncountedCharacters = countedObjects * '{"a":1},'.length;

const tooLarge = validationError({ field: 'query', type: 'answer_too_large' }, 'Answer too large');

/** What an operation is answered with: its result, or the refusal of one that is too large, and the JSON text of that. */
export interface SizedAnswer {
  readonly result: ExecutionResult;
  readonly text: string;
}

/** @throws AppError 400 where the request has room for no further result. */
export function checkRoom({ answeredCharacters }: RequestContext): void {
  if (answeredCharacters > longestAnswer) throw tooLarge;
}

/**
 * Notes the size of a result, and refuses one that its request has no room for. What a mutation has done is told however
 * much was asked beside it: it has taken effect.
 */
export function sizedAnswer(
  result: ExecutionResult,
  kind: OperationTypeNode | undefined,
  context: RequestContext,
): SizedAnswer {
  const isTold = kind === OperationTypeNode.MUTATION;
  if (isTold || context.answeredCharacters <= longestAnswer) {
    const text = writableJson(result);
    context.answeredObjects += objectsIn(text ?? '');
    context.answeredCharacters += text?.length ?? Number.POSITIVE_INFINITY;
    if (text !== undefined && (isTold || context.answeredCharacters <= longestAnswer))
      return { result, text };
  }
  const refused = refusal(result, context);
  return { result: refused, text: JSON.stringify(refused) };
}

/** Counted where there may be many. Within a text of JSON no quotation mark stands alone. */
function objectsIn(json: string): number {
  if (json.length <= uncountedCharacters) return 0;
  let count = 0;
  for (let at = json.indexOf('{"'); at !== -1; at = json.indexOf('{"', at + 2)) count += 1;
  return count;
}

function refusal({ extensions }: ExecutionResult, context: RequestContext): ExecutionResult {
  const error = renderError(wrap(tooLarge), context.gateway.platform.log, context);
  return { errors: [error as never], data: null, ...(extensions ? { extensions } : {}) };
}

/** How often a request counts for the size of its answer: to write what is refused in the end takes as long. */
const requestsOf = ({ answeredCharacters, answeredObjects }: RequestContext): number =>
  Math.ceil(
    Math.max(
      Math.min(answeredCharacters, 16 * longestAnswer) / countedCharacters,
      answeredObjects / countedObjects,
    ),
  );

/**
 * A request that ran no operation, such as one that does not parse, counts as one, and any other no less than the `least`
 * and the size of its answer have it. What was refused before it could be counted counts beside what ran.
 * @throws AppError 429 when that is too many.
 */
export function countWhole(least: number, context: RequestContext): void | Promise<void> {
  return context.count.fillUp(Math.max(least, requestsOf(context)));
}

/** Counts a request that has run, for what it is answered: that stays so, and the next may be one too many. */
export async function countAnswer(context: RequestContext): Promise<void> {
  try {
    await countWhole(1, context);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}
