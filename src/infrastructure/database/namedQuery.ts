import type { FieldDef } from 'pg';
import pg from 'pg';

/** A prepared statement and the values to run it with. */
export interface NamedQuery {
  name: string;
  text: string;
  values: unknown[];
}

/** How the rows of a statement are read. */
interface RowShape {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
}

const noRows: RowShape = { names: [], parsers: [] };

/** What is used of pg's connection, with what its types leave out. */
interface Connection {
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: unknown[]; valueMapper: (value: unknown) => unknown }): void;
  describe(message: { type: 'P' }): void;
  execute(): void;
  close(message: { type: 'S'; name: string }): void;
  sync(): void;
  /** Statements that the server is being asked to prepare. */
  submittedNamedStatements: Record<string, string>;
}

/** What is used of pg's own query and of its result, which knows the parsers of types. */
interface Internals {
  hasBeenParsed(connection: Connection): boolean;
  _result: { addFields(fields: FieldDef[]): void; _parsers: RowShape['parsers'] };
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;

/** By connection and statement. A prepared statement keeps its shape: PostgreSQL refuses to run it with another. */
const shapesOf = new WeakMap<Connection, Map<string, RowShape>>();

/**
 * A query that has the server describe a statement's rows once for each connection instead of at each execution, and
 * that leaves out what pg's own does for callers who want more than rows. It must be a `Query`: pg pipelines no other.
 */
class RowsQuery extends pg.Query {
  readonly text: string;
  readonly name: string;
  readonly values: unknown[];
  readonly callback: (error: unknown, rows: unknown[]) => void;
  readonly #gathered: Record<string, unknown>[] = [];
  #shape: RowShape | undefined;
  #isDescribed = false;
  #unreadable: unknown;

  constructor({ name, text, values }: NamedQuery, callback: RowsQuery['callback']) {
    super(text);
    this.text = text;
    this.name = name;
    this.values = values;
    this.callback = callback;
  }

  /** Called by `submit`, which sends what is written here at once. */
  prepare(connection: Connection): void {
    if (!(this as unknown as Internals).hasBeenParsed(connection)) {
      connection.parse({ name: this.name, text: this.text });
      connection.submittedNamedStatements[this.name] = this.text;
    }
    try {
      connection.bind({ statement: this.name, values: this.values, valueMapper: prepareValue });
    } catch (error) {
      connection.close({ type: 'S', name: this.name });
      connection.sync();
      this.handleError(error);
      return;
    }
    this.#shape = shapesOf.get(connection)?.get(this.name);
    if (!this.#shape) {
      this.#isDescribed = true;
      connection.describe({ type: 'P' });
    }
    connection.execute();
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: FieldDef[] }): void {
    const { _result: result } = this as unknown as Internals;
    result.addFields(fields);
    this.#shape = { names: fields.map((field) => field.name), parsers: result._parsers };
  }

  handleDataRow({ fields: texts }: { fields: (string | null)[] }): void {
    const { names, parsers } = this.#shape ?? noRows;
    const row: Record<string, unknown> = {};
    try {
      for (let index = 0; index < names.length; index += 1) {
        const text = texts[index] as string | null;
        row[names[index] as string] = text === null ? null : parsers[index]?.(text);
      }
    } catch (error) {
      this.#unreadable = error;
    }
    this.#gathered.push(row);
  }

  handleCommandComplete(): void {
    // Nobody asks how many rows there were.
  }

  handleReadyForQuery(connection: Connection): void {
    if (this.#isDescribed) {
      const shapes = shapesOf.get(connection) ?? new Map<string, RowShape>();
      shapesOf.set(connection, shapes.set(this.name, this.#shape ?? noRows));
    }
    this.callback(this.#unreadable, this.#gathered);
  }

  handleError(error: unknown): void {
    this.callback(error, []);
  }
}

/** What is used of a pg client. */
export interface QueryingClient {
  query(query: pg.Query): unknown;
}

/** Runs a prepared statement on a connection. @returns its rows. @throws the driver's error. */
export function rowsOf(client: QueryingClient, query: NamedQuery): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    client.query(new RowsQuery(query, (error, rows) => (error ? reject(error) : resolve(rows))));
  });
}
