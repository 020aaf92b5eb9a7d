import type { ExecutionResult } from 'graphql';
import { OperationTypeNode } from 'graphql';
import type { RequestContext } from '../../src/domain/admission.ts';
import { AppError, validationError } from '../../src/errors.ts';
import { Turns } from '../../src/infrastructure/turns.ts';
import { renderError, wrap } from '../errors.ts';
import type { Measured } from './answerText.ts';
import { measured, pieceCharacters, sizeOf, written } from './answerText.ts';
import { type AskedOperation, hasOwnLimit } from './askedOperation.ts';
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

/** Of a key one large answer at a time is measured, counted and written: how many its limit has room for shows only then. */
const turns = new Turns(1);

/** Of what a large result is spared. */
interface Exemption {
  /** From any refusal: what has run is told. */
  readonly isTold: boolean;
  /** From that over the usual limit. */
  readonly hasOwnLimit: boolean;
}

/**
 * Notes the size of a result, and refuses one that its request has no room for. What a mutation has done is told however
 * much was asked beside it: it has taken effect. A large one is measured and written with other requests served in between.
 */
export function sizedAnswer(
  result: ExecutionResult,
  asked: AskedOperation | undefined,
  context: RequestContext,
): SizedAnswer | Promise<SizedAnswer> {
  const isTold = asked?.operation.operation === OperationTypeNode.MUTATION;
  if (!isTold && context.answeredCharacters > longestAnswer) return refused(result, tooLarge, context);
  const { characters, objects } = sizeOf(result, pieceCharacters);
  if (characters > pieceCharacters && characters !== Number.POSITIVE_INFINITY)
    return sizedInTurn(result, { isTold, hasOwnLimit: !!asked && hasOwnLimit(asked, result) }, context);
  const text = writableJson(result);
  context.answeredObjects += objects;
  context.answeredCharacters += text?.length ?? Number.POSITIVE_INFINITY;
  if (text !== undefined && (isTold || context.answeredCharacters <= longestAnswer)) return { result, text };
  return refused(result, tooLarge, context);
}

async function sizedInTurn(
  result: ExecutionResult,
  exemption: Exemption,
  context: RequestContext,
): Promise<SizedAnswer> {
  const endTurn = await turns.take(context.caller.keyId, null);
  try {
    return { result, text: await textOf(await measured(result), exemption, context) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return refused(result, error, context);
  } finally {
    setImmediate(endTurn);
  }
}

/** @throws AppError 400 where its request has no room for it, 429 where its key has gone over its limit meanwhile. */
async function textOf(
  answer: Measured,
  { isTold, hasOwnLimit }: Exemption,
  context: RequestContext,
): Promise<string> {
  if (!isTold) checkRoom(context);
  const before = context.answeredCharacters;
  context.answeredObjects += answer.objects;
  context.answeredCharacters += answer.characters;
  if (isTold) await countAnswer(context);
  else await context.count.fillUpFirst(requestsOf(context), hasOwnLimit);
  if (!isTold) checkRoom(context);
  const text = await written(answer, isTold ? Number.POSITIVE_INFINITY : longestAnswer - before);
  context.answeredCharacters += text.length - answer.characters;
  if (!isTold) checkRoom(context);
  return text;
}

function refused({ extensions }: ExecutionResult, error: AppError, context: RequestContext): SizedAnswer {
  const rendered = renderError(wrap(error), context.gateway.platform.log, context);
  const result = { errors: [rendered as never], data: null, ...(extensions ? { extensions } : {}) };
  return { result, text: JSON.stringify(result) };
}

/** How often a request counts for the size of its answer, one that is refused among them: it was put together. */
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
 * @param isAnswered whether it has run, and is answered all the same: then the next may be one too many.
 * @throws AppError 429 when that is too many.
 */
export function countWhole(
  least: number,
  context: RequestContext,
  isAnswered: boolean,
): void | Promise<void> {
  const times = Math.max(least, requestsOf(context));
  return isAnswered ? context.count.fillUpAnswered(times) : context.count.fillUp(times);
}

/** Counts a request that has run, for what it is answered. */
export const countAnswer = (context: RequestContext): void | Promise<void> => countWhole(1, context, true);
