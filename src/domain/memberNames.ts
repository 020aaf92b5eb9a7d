/** JSON whose members are named as in REST (snake_case) and as in GraphQL and code (camelCase): the same words. */

const toSnake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const toCamel = (name: string) => name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [rename(name), renamed(member, rename)]),
  );
}

/** The same JSON in REST's names. */
export const inSnakeCase = <Shape>(value: object): Shape => renamed(value, toSnake) as Shape;

/** The same JSON in GraphQL's names. */
export const inCamelCase = <Shape>(value: object): Shape => renamed(value, toCamel) as Shape;
