import type { FieldFault } from '../src/domain/errors.ts';
import { AppError, validationError } from '../src/domain/errors.ts';

/** The domain names the bad member of an input object; clients get its path as they spelt it, `input.name`. */
export async function inInput<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'bad_request') throw error;
    const faults = (error.details.errors ?? []) as FieldFault[];
    throw validationError(
      faults.map(({ field, type }) => ({ field: `input.${field}`, type })),
      error.message,
    );
  }
}
