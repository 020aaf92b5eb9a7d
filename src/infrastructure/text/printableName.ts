/** Longest name or number that somebody outside gives to what is theirs: a ticket, a payment. */
const longest = 100;

/** Whether what an adapter gives for such a name can be one: printable ASCII without space. */
export const isPrintableName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= longest && /^[\x21-\x7e]+$/.test(value);
