/** What keeps values by a key: a map of either kind. */
interface Entries<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** The entry of a key, made and kept at the first asking. */
export function keptEntry<Key, Value>(entries: Entries<Key, Value>, key: Key, make: () => Value): Value {
  const kept = entries.get(key);
  if (kept !== undefined) return kept;
  const made = make();
  entries.set(key, made);
  return made;
}
