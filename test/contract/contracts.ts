import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { contractText } from '../../rest/contract.ts';
import { openApiDocument } from '../../rest/openapi.ts';
import { preparedRoutes } from '../../rest/preparedRoutes.ts';
import { gatewaySchema } from '../../schema/index.ts';
import { readSettings } from '../../src/config.ts';
import { eventTypeDescriptions } from '../../src/domain/events/description.ts';

/** The checked-in contracts: path in the repository, and what the code says it has to hold. */
export function contracts(): ReadonlyMap<string, string> {
  const schema = gatewaySchema();
  const prepared = preparedRoutes();
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  return new Map([
    ['schema/schema.graphql', `${printSchema(lexicographicSortSchema(schema))}\n`],
    ['rest/contract.txt', contractText(prepared, schema)],
    ['rest/openapi.json', json(openApiDocument(prepared, schema, '2027-01-15', readSettings({})))],
    ['rest/events.json', json(eventTypeDescriptions())],
  ]);
}

const absolute = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export async function checkedIn(path: string): Promise<string> {
  return readFile(absolute(path), 'utf8').catch(() => '');
}

/** Rewrites every contract file. */
export async function writeContracts(): Promise<void> {
  for (const [path, text] of contracts()) await writeFile(absolute(path), text);
}
