/** Paths with parameters, as Express spells them: `/wallet/recharge/:id`. */

const parameter = /:(\w+)/g;

/** Names of a path's parameters, in their order. */
export const pathParametersOf = (path: string): string[] =>
  [...path.matchAll(parameter)].map(([, name]) => name as string);

/** The path with each parameter spelt otherwise. */
export const respeltPath = (path: string, spell: (name: string) => string): string =>
  path.replace(parameter, (_, name: string) => spell(name));
