type Load = () => Promise<unknown>;

const parts: Load[] = [];

/**
 * A part of the program that no start waits for. Node.js never loads again what it could not load once, for want of a
 * descriptor for one: whoever asks first must not come at such a moment, so it is loaded soon after the start (`loadParts`).
 */
export function laterPart<Part>(load: () => Promise<Part>): () => Promise<Part> {
  parts.push(load);
  return load;
}

/**
 * Loads all of them, one after the other: requests have their turn in between.
 * @throws AggregateError of what could not be loaded, once the rest is
 */
export async function loadParts(these: readonly Load[] = parts): Promise<void> {
  const faults: unknown[] = [];
  for (const load of these) await load().catch((fault: unknown) => faults.push(fault));
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} of ${these.length} not loaded`);
}
