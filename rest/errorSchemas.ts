import { testModeNotice } from '../src/domain/testMode.ts';
import { errorCodes } from '../src/errors.ts';
import type { JsonSchema, NamedSchemas } from './namedSchemas.ts';

/**
 * What every body has: whether it is a success, `_meta`, and the error. Constants have their type next to them, for
 * generators that take a constant without one for a text.
 */

export const succeeded = (success: boolean): JsonSchema => ({ type: 'boolean', const: success });

export function metaSchema(named: NamedSchemas): JsonSchema {
  return named.refer('TestModeNotice', {
    type: 'object',
    description: 'Present in test mode only.',
    properties: {
      test_mode: { type: 'boolean', const: true },
      message: { type: 'string', examples: [testModeNotice.message] },
    },
    required: ['test_mode', 'message'],
  });
}

/** Not called `Error`: in the code of many clients that name is taken. */
export function errorSchema(named: NamedSchemas): JsonSchema {
  const reason = { type: 'string', description: 'Machine-readable reason, such as required or too_small.' };
  const fault = named.refer('FieldFault', {
    type: 'object',
    description: 'A bad field of a request.',
    properties: {
      field: { type: 'string', description: 'Its path, such as slices.0.origin.' },
      type: reason,
      passenger_id: {
        type: 'string',
        description: 'Of type missing: the offer’s passenger for whom nobody was named, prefix pas_.',
      },
    },
    required: ['field', 'type'],
  });
  const details = named.refer('ErrorDetails', {
    type: 'object',
    description: 'What else is known; refusals may have members of their own.',
    properties: {
      field: { type: 'string', description: 'The first bad field.' },
      type: reason,
      errors: { type: 'array', items: fault, description: 'All bad fields.' },
    },
    additionalProperties: true,
  });
  const code = named.refer('ErrorCode', {
    type: 'string',
    description: 'What kind of refusal it is.',
    enum: errorCodes,
  });
  return named.refer('ErrorResponse', {
    type: 'object',
    description: 'The body of every refusal.',
    properties: {
      success: succeeded(false),
      error: {
        type: 'object',
        properties: { code, message: { type: 'string' }, details },
        required: ['code', 'message', 'details'],
      },
      _meta: metaSchema(named),
    },
    required: ['success', 'error'],
  });
}
