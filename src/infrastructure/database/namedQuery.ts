import type { FieldDef } from 'pg';
import pg from 'pg';
import { lateAfter } from '../lateAfter.ts';
import { executionMessage } from './executionMessage.ts';
import { isoTimestampReader, timestampReader } from './timestamp.ts';

/** A statement and the values to run it with. */
export interface NamedQuery {
  name: string;
  text: string;
  values: unknown[];
  /** Whether the server prepares it for this run alone (`Statement.plannedEachRun`). */
  plannedEachRun?: boolean;
  /** How timestamps are returned; Dates unless said. */
  timestamps?: Timestamps | undefined;
}

/** As Dates, or as ISO 8601 text for rows that only hand them on. */
export type Timestamps = 'date' | 'iso';

type Parser = (text: string) => unknown;

/** How the rows of a statement are read. */
interface RowShape {
  readonly names: readonly string[];
  readonly parsers: readonly Parser[];
}

/** The name of statements that the server forgets with the next of that name. */
const forThisRun = '';

const noRows: RowShape = { names: [], parsers: [] };

/** What is used of pg's connection, with what its types leave out. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void };
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: unknown[] }): void;
  describe(message: { type: 'P' }): void;
  execute(): void;
  sync(): void;
  /** Writes to the socket unless that is closed. */
  _send(bytes: Buffer): void;
  /** Statements that the server has prepared, and those that it is being asked to. */
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
}

interface Types {
  getTypeParser(oid: number, format: 'text'): Parser;
}

type PreparedValue = string | Buffer | null;

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): PreparedValue } }).utils;

const timestamptzOid = 1184;

/** By connection and statement. A prepared statement keeps its shape: PostgreSQL refuses to run it with another. */
const shapesOf = new WeakMap<Connection, Map<string, RowShape>>();

/**
 * A query that has the server describe a statement's rows once for each connection instead of at each execution, and
 * that leaves out what pg's own does for callers who want more than rows.
 */
class RowsQuery {
  /** Under which the server keeps it. */
  readonly name: string;
  readonly text: string;
  readonly #timestamps: Timestamps;
  readonly #values: unknown[];
  readonly callback: (error: unknown, rows: unknown[]) => void;
  /** Filled in by the client, which knows how its types are read. */
  readonly _result: { _types: Types | null } = { _types: null };
  readonly #rows: Record<string, unknown>[] = [];
  #shape: RowShape | undefined;
  #isDescribed = false;
  #unreadable: unknown;

  constructor(
    { name, text, values, plannedEachRun, timestamps }: NamedQuery,
    callback: RowsQuery['callback'],
  ) {
    this.name = plannedEachRun ? forThisRun : name;
    this.text = text;
    this.#timestamps = timestamps ?? 'date';
    this.#values = values;
    this.callback = callback;
  }

  /** Called by the client. @returns the error when the values cannot be sent: then nothing is. */
  submit(connection: Connection): unknown {
    const { name } = this;
    let values: PreparedValue[];
    try {
      values = this.#values.map(prepareValue);
    } catch (error) {
      return error;
    }
    this.#shape = shapesOf.get(connection)?.get(name);
    if (this.#shape) connection._send(executionMessage(name, values));
    else this.#introduce(connection, values);
    return null;
  }

  /** Has the server parse the statement, unless it knows it, and describe its rows. */
  #introduce(connection: Connection, values: PreparedValue[]): void {
    const { name, text } = this;
    this.#isDescribed = true;
    connection.stream.cork();
    if (name === forThisRun) connection.parse({ name, text });
    else if (!(name in connection.parsedStatements) && !(name in connection.submittedNamedStatements)) {
      connection.parse({ name, text });
      connection.submittedNamedStatements[name] = text;
    }
    connection.bind({ statement: name, values });
    connection.describe({ type: 'P' });
    connection.execute();
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { fields: FieldDef[] }): void {
    const types = this._result._types as Types;
    const parsers = fields.map(({ dataTypeID }) => {
      const parser = types.getTypeParser(dataTypeID, 'text');
      if (dataTypeID !== timestamptzOid) return parser;
      return this.#timestamps === 'iso' ? isoTimestampReader(parser) : timestampReader(parser);
    });
    this.#shape = { names: fields.map((field) => field.name), parsers };
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
    this.#rows.push(row);
  }

  handleCommandComplete(): void {
    // Nobody asks how many rows there were.
  }

  handleReadyForQuery(connection: Connection): void {
    if (this.#isDescribed && this.name !== forThisRun) {
      const shapes = shapesOf.get(connection) ?? new Map<string, RowShape>();
      shapesOf.set(connection, shapes.set(this.name, this.#shape ?? noRows));
    }
    this.callback(this.#unreadable, this.#rows);
  }

  handleError(error: unknown): void {
    this.callback(error, []);
  }
}

// pg pipelines its own kind of query only.
Object.setPrototypeOf(RowsQuery.prototype, pg.Query.prototype);

/** What is used of a pg client. */
export interface QueryingClient {
  query(query: pg.Query): unknown;
  readonly connection: { readonly stream: { destroy(error: Error): unknown } };
}

/**
 * How long an answer is waited for, several times what the longest wait for locks takes. A server that vanished without a
 * word, as at many a failover, leaves connections that the system believes in for a quarter of an hour and more: all
 * who share one would hang for so long, while a new one would be answered.
 */
export const silenceMs = 60_000;

/** Runs a statement on a connection, which ends when it stays silent; `done` gets the driver's error, or the rows. */
export function send(client: QueryingClient, query: NamedQuery, done: RowsQuery['callback']): void {
  // The client tells everyone whose query is on it.
  const giveUp = () => client.connection.stream.destroy(new Error(`${query.name}: the database is silent`));
  const callOff = lateAfter(silenceMs, giveUp);
  const answered: RowsQuery['callback'] = (error, rows) => {
    callOff();
    done(error, rows);
  };
  client.query(new RowsQuery(query, answered) as unknown as pg.Query);
}

/** The same as a promise. @returns the rows. @throws the driver's error. */
export function rowsOf(client: QueryingClient, query: NamedQuery): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    send(client, query, (error, rows) => (error ? reject(error) : resolve(rows)));
  });
}
