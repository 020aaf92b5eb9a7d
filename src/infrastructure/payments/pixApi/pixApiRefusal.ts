import { z } from 'zod';
import type { Incoming } from './exchange.ts';
import { parseJson } from './parseJson.ts';

/** Of an error, which may have any size, so many characters of each text are told. */
const longestText = 300;

/**
 * RFC 7807, as "Tratamento de erros" of the Pix API has it, and RFC 6749, 5.2, of tokens. The values that were sent are not
 * told: they may name people.
 */
const problemSchema = z.object({
  error: z.string().catch(''),
  error_description: z.string().catch(''),
  title: z.string().catch(''),
  detail: z.string().catch(''),
  violacoes: z.array(z.object({ propriedade: z.string().catch(''), razao: z.string().catch('') })).catch([]),
});

/** The bank answered with something else than what was asked for. */
export class PixApiRefusal extends Error {
  readonly status: number;

  constructor(asked: string, { status, text }: Incoming) {
    super(`${asked} answered ${status}${reasonOf(text)}`);
    this.status = status;
  }
}

function reasonOf(text: string): string {
  const problem = problemSchema.safeParse(parseJson(text));
  if (!problem.success) return '';
  const { error, error_description: description, title, detail, violacoes } = problem.data;
  const violations = violacoes.slice(0, 5).map(({ propriedade, razao }) => `${propriedade}: ${razao}`);
  const told = [error, description, title, detail, ...violations].map((part) => part.slice(0, longestText));
  const reason = told.filter((part) => part !== '').join('; ');
  return reason && `: ${reason}`;
}
