import { parsed } from '../../src/infrastructure/json/parsed.ts';

/** A message of a client, as graphql-ws is to take it. */
interface Received {
  /** Parsed already, or a text that graphql-ws is to refuse: its parseMessage takes either, though its type says text. */
  readonly message: string;
  /** The id, as graphql-ws is told it, of the operation that it asks for; null where it asks for none. */
  readonly operation: string | null;
  /** The same of the operation under way that it is about; null where it is about none. */
  readonly earlier: string | null;
  /** To be called once all that the message asked for is over. */
  ended(): void;
}

const nothing = () => undefined;

const isOfOperation = (message: unknown): message is { type?: unknown; id: string } =>
  typeof (message as { id?: unknown } | null)?.id === 'string' && (message as { id: string }).id !== '';

/**
 * The ids of the operations on one WebSocket. A client may use an id again as soon as it has completed the operation that had
 * it, which goes on for a moment. graphql-ws tells operations apart by their ids alone: it would give the earlier one's
 * answer to the later, and lose one of two subscriptions, which would then outlive their socket. So each operation is
 * handed to it under an id of its own, a number before the client's, and what it still says of one that is over for the
 * client is kept back. What was on its way by then is for the client to tell apart.
 */
export class OperationIds {
  /** By the ids of the client, those of operations that are under way. */
  readonly #numbers = new Map<string, string>();
  readonly #underWay = new Set<string>();
  #lastNumber = 0;

  receive(text: string): Received {
    const message = parsed(text);
    if (!isOfOperation(message)) return { message: text, operation: null, earlier: null, ended: nothing };
    const { type, id } = message;
    const known = this.#numbers.get(id);
    // One that is under way is asked for again: graphql-ws sees that, and ends the connection.
    const number = known ?? `${++this.#lastNumber}`;
    const ended = () => {
      if (this.#numbers.get(id) === number) this.#numbers.delete(id);
      this.#underWay.delete(number);
    };
    if (type === 'complete') ended();
    else if (type === 'subscribe') {
      this.#numbers.set(id, number);
      this.#underWay.add(number);
    }
    message.id = `${number} ${id}`;
    return {
      message: message as unknown as string,
      operation: type === 'subscribe' ? message.id : null,
      earlier: known === undefined ? null : message.id,
      ended: known === undefined ? ended : nothing,
    };
  }

  /** Whether its client still waits for it. */
  isUnderWay(serverId: string): boolean {
    return this.#underWay.has(serverId.slice(0, serverId.indexOf(' ')));
  }

  /** A message of graphql-ws, in which the id comes first, as its client is told it; null where it is not to be. */
  toClient(text: string): string | null {
    const [beginning, number] = /^\{"id":"(\d+) /.exec(text) ?? [];
    if (beginning === undefined || number === undefined) return text;
    return this.#underWay.has(number) ? `{"id":"${text.slice(beginning.length)}` : null;
  }
}

/** The id that the client knows. */
export const idOfClient = (serverId: string): string => serverId.slice(serverId.indexOf(' ') + 1);

/** Why graphql-ws ends a connection, as the client is told it. */
export const reasonForClient = (reason: string): string =>
  reason.replace(/^Subscriber for \d+ /, 'Subscriber for ');
