/** A message of a client, and what is to be called when all that it asked for is over. */
interface Taken {
  /** As graphql-ws takes it: parsed, or a text that it is to refuse. */
  readonly message: string;
  over(): void;
}

const nothing = () => undefined;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isOfOperation = (message: unknown): message is { type?: unknown; id: string } =>
  typeof (message as { id?: unknown } | null)?.id === 'string' && (message as { id: string }).id !== '';

/**
 * The ids of the operations on one WebSocket. A client may use an id again as soon as it has completed the operation that had
 * it, which goes on for a moment. graphql-ws tells operations apart by their ids alone: it would give the earlier one's
 * answer to the later, and lose one of two subscriptions, which would then outlive their socket. So each operation is
 * handed to it under an id of its own.
 */
export class OperationIds {
  /** By the ids of the client, those of operations that are under way. */
  readonly #own = new Map<string, string>();
  #given = 0;

  take(text: string): Taken {
    const message = parsed(text);
    if (!isOfOperation(message)) return { message: text, over: nothing };
    const { type, id } = message;
    const begun = this.#own.get(id);
    // One that is under way is asked for again: graphql-ws sees that, and ends the connection.
    const own = begun ?? `${++this.#given} ${id}`;
    const over = () => {
      if (this.#own.get(id) === own) this.#own.delete(id);
    };
    if (type === 'complete') over();
    else if (type === 'subscribe') this.#own.set(id, own);
    message.id = own;
    // It parses texts, and takes what is parsed already as it is.
    return { message: message as unknown as string, over: begun === undefined ? over : nothing };
  }
}

/** The id that the client knows. */
export const idOfClient = (own: string): string => own.slice(own.indexOf(' ') + 1);

/** A message of graphql-ws, in which the id comes first, as the client is told it. */
export const withIdOfClient = (text: string): string => text.replace(/^\{"id":"\d+ /, '{"id":"');

/** Why graphql-ws ends a connection, as the client is told it. */
export const reasonForClient = (reason: string): string =>
  reason.replace(/^Subscriber for \d+ /, 'Subscriber for ');
