import { z } from 'zod';

/** What stands in an answer of the bank. @param what it should be, for the error. @throws Error naming what it lacks. */
export function readAnswer<Schema extends z.ZodType>(
  schema: Schema,
  answer: unknown,
  what: string,
): z.output<Schema> {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  throw new Error(`the bank answered with what is no ${what}: ${z.prettifyError(read.error)}`);
}
