import type { ExecutionResult } from 'graphql';
import type { RequestContext } from '../../src/domain/admission.ts';
import type { Caller } from '../../src/domain/teams/access.ts';
import { noticeFor } from '../../src/domain/testMode.ts';
import { renderError } from '../errors.ts';

/** What stands in `extensions`, with `_meta` for a caller in test mode; as a member, where there is anything. */
export function extensionsFor(
  caller: Pick<Caller, 'kind'>,
  own: object | undefined,
): { extensions?: Record<string, unknown> } {
  const notice = noticeFor(caller);
  if (!notice) return own ? { extensions: { ...own } } : {};
  return { extensions: { ...own, _meta: notice } };
}

/** A result as clients get it: rendered errors, and `_meta` of test mode. */
export function shownResult(
  { errors, data, extensions }: { errors?: readonly unknown[]; data?: unknown; extensions?: object },
  context: RequestContext,
): ExecutionResult {
  const { log } = context.gateway.platform;
  return {
    ...(errors ? { errors: errors.map((error) => renderError(error, log, context)) } : {}),
    ...(data === undefined ? {} : { data }),
    ...extensionsFor(context.caller, extensions),
  } as ExecutionResult;
}
