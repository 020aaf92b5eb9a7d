/**
 * An adapter as its registry knows it. What is stored of charges and orders goes by the name that the adapter itself has: with
 * that of another, as a copied file has it, they would be asked of the other one, and with the simulated provider's anybody
 * could pay.
 * @throws Error when it calls itself otherwise; its message is the line with which the start stops.
 */
export function knownAs<Adapter extends { readonly name: string }>(
  name: string,
  setting: string,
  adapter: Adapter,
): Adapter {
  if (adapter.name !== name)
    throw new Error(`${setting} ${name}: its adapter has the name "${adapter.name}"`);
  return adapter;
}
