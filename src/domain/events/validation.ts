import { z } from 'zod';
import type { EventType } from './catalogue.ts';
import { eventCatalogue, isEventType } from './catalogue.ts';

/**
 * What is wrong with an event's `data` by the catalogue, or null: member and reason of the first fault, without its
 * value, which may be anyone's.
 */
export function payloadFault(type: string, data: unknown): string | null {
  if (!isEventType(type)) return 'type: unknown';
  const { error } = eventCatalogue[type].payload.safeParse(data);
  const issue = error?.issues[0];
  return issue ? `${issue.path.join('.') || 'data'}: ${reasonOf(issue)}` : null;
}

function reasonOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'unrecognized_keys' ? `${issue.code} ${issue.keys.join(', ')}` : issue.code;
}

/**
 * JSON Schema (2020-12) of a type's `data`, as it is published. We tell nothing that is not described, but readers must
 * not count on that: members may be added within a version (SPEC Versioning), so the schema lets them pass.
 */
export function payloadSchema(type: EventType): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(eventCatalogue[type].payload, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return schema;
}
