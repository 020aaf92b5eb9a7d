import { isDeepStrictEqual } from 'node:util';

export type JsonSchema = Record<string, unknown>;

/**
 * Schemas that are written once, under a name: generated clients call their types by it, and one that is answered by
 * several endpoints is one type to them.
 */
export class NamedSchemas {
  readonly #schemas: Record<string, JsonSchema> = {};

  /**
   * A reference to a schema, which it has from now on.
   * @throws Error for a name that another schema has.
   */
  refer(name: string, schema: JsonSchema): JsonSchema {
    const known = this.#schemas[name];
    if (known && !isDeepStrictEqual(known, schema)) throw new Error(`two schemas are called ${name}`);
    this.#schemas[name] = known ?? schema;
    return { $ref: `#/components/schemas/${name}` };
  }

  /** All by their names, in the order in which they were first referred to. */
  all(): Readonly<Record<string, JsonSchema>> {
    return this.#schemas;
  }
}

/** `wallet.recharge.pending` or `createBooking` as the name of a type. */
export function typeName(name: string): string {
  return name
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
