/**
 * The adapter that a setting names, made by its registry's entry of that name. What is stored of charges and orders goes by the
 * name that the adapter itself has: with that of another, as a copied file has it, they would be asked of the other one, and
 * with the simulated provider's anybody could pay.
 * @throws Error when the registry has no such name, or the adapter calls itself otherwise: the message is the line with which
 *   the start stops; and whatever an adapter throws that lacks settings
 */
export function createAdapter<Context extends unknown[], Adapter extends { readonly name: string }>(
  setting: string,
  registry: Readonly<Record<string, (...context: Context) => Adapter>>,
  name: string,
  ...context: Context
): Adapter {
  const create = Object.hasOwn(registry, name) ? registry[name] : undefined;
  if (!create) throw new Error(`${setting}: "${name}" is none of ${Object.keys(registry).join(', ')}`);
  const adapter = create(...context);
  if (adapter.name !== name)
    throw new Error(`${setting} ${name}: its adapter has the name "${adapter.name}"`);
  return adapter;
}
