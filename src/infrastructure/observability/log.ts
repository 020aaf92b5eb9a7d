import { isValidCpf } from '@brazilian-utils/brazilian-utils';
import type { DestinationStream, Logger, LoggerOptions } from 'pino';
import { pino } from 'pino';
import { bothEnds } from '../text/bothEnds.ts';
import { harmless, service, timeOfLine } from './logLine.ts';
import { standardOutput } from './logOutput.ts';

export type Log = Logger;

/** The log of a process, and where its lines go. */
export type ProcessLog = Log & { readonly destination: DestinationStream };

/** What must never be written, wherever it stands in a logged object. */
const secretPaths = [
  'authorization',
  'secret',
  'apiKey',
  'password',
  'signingSecret',
  'cookie',
  'taxId',
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

const keyPattern = /(sk_(?:live|test|admin)_|whsec_)[A-Za-z0-9_+/=%-]+/g;

/** A letter of a key as URLs may spell it. */
const escapePattern = /%(?:2[bdf]|3[0-9d]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9a])/gi;

/** Text with API keys and webhook secrets blanked, for messages and paths that may quote what a client sent. */
export function withoutSecrets(text: string): string {
  const spelled = text.includes('%') ? text.replace(escapePattern, decodeURIComponent) : text;
  if (!spelled.includes('sk_') && !spelled.includes('whsec_')) return text;
  const blanked = spelled.replace(keyPattern, '$1[redacted]');
  return blanked === spelled ? text : blanked;
}

/** A CPF, with or without punctuation: banks and airlines quote it in what they say of a request that they refuse. */
const cpfPattern = /(?<!\d)\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?!\d)/g;

function withoutCpf(text: string): string {
  return text.replace(cpfPattern, (digits) => (isValidCpf(digits) ? '[redacted]' : digits));
}

/** Of what others say: who calls them quotes their answers, which may have any size. A stack has some thousand characters. */
const longestText = 8_000;

/** Parts of an error that are written: all that is wrong with one request may be as many as there is room for in it. */
const mostParts = 20;

/** Of an error with all its parts: members may be as many as whoever was asked sent. More than twenty long texts have. */
const mostCharacters = 400_000;

/** What of an error is not written yet. */
interface Room {
  parts: number;
  characters: number;
}

/** What others say of a failure, of whatever type: that it cannot be logged would stop what follows. */
const withoutParticulars = (told: unknown): unknown =>
  typeof told === 'string' ? withoutCpf(withoutSecrets(bothEnds(told, longestText))) : told;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A reason is a text: an object in its place may hold whatever was sent, and break when it is read. */
const serializeReason = (told: unknown): unknown => (isObject(told) ? undefined : withoutParticulars(told));

/** Structured JSON logs, one object a line, times in ISO 8601 UTC, secrets blanked. */
export function createLog(level: string, destination: DestinationStream = standardOutput()): ProcessLog {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: timeOfLine,
    redact: { paths: secretPaths, censor: '[redacted]' },
    serializers: { err: serializeError, reason: serializeReason },
    hooks: { streamWrite: harmless },
  };
  return Object.assign(pino(options, destination), { destination });
}

/**
 * What PostgreSQL says of a row that breaks a CHECK, of JSON that it cannot read, and of parameters, when they cannot be
 * bound too: people's names stand in all of them.
 */
const quotesData = /Failing row contains|JSON data|with parameters|portal(?: ".*")? parameter \$\d/;

/** Anything can be thrown, what is no error and what cannot be read too; whoever logs it has something else to do after it. */
function serializeError(error: unknown): unknown {
  try {
    if (!isObject(error)) return withoutParticulars(error);
    // What is read is marked meanwhile, which something frozen does not let happen.
    const read = Object.isExtensible(error) ? error : Object.create(error);
    const room = { parts: mostParts, characters: mostCharacters };
    return withoutData({ ...pino.stdSerializers.err(read) }, room);
  } catch {
    return unreadable(error);
  }
}

function unreadable(error: unknown): unknown {
  try {
    return { type: 'unreadable', message: withoutParticulars(String((error as Error).message)) };
  } catch {
    return { type: 'unreadable' };
  }
}

/** Leaves out the members for which there is no room. */
function withinRoom(serialized: Record<string, unknown>, room: Room): void {
  let membersLeftOut = 0;
  for (const [key, value] of Object.entries(serialized)) {
    if (isObject(value)) continue;
    const characters = key.length + String(value).length;
    if (characters <= room.characters) room.characters -= characters;
    else {
      delete serialized[key];
      membersLeftOut += 1;
    }
  }
  if (membersLeftOut > 0) serialized.membersLeftOut = membersLeftOut;
}

/** A serialized error, and those that an AggregateError is made of, with nothing that a client sent. */
function withoutData(serialized: Record<string, unknown>, room: Room): Record<string, unknown> {
  for (const [key, value] of Object.entries(serialized)) {
    serialized[key] = withoutParticulars(value);
  }
  // Sequelize and pg attach the statement's parameters, which may be anything a client sent.
  for (const key of ['parameters', 'parent', 'original', 'sql', 'query', 'bind']) delete serialized[key];
  // What was sent to Redis when it failed: the password, as long as Redis does not take it.
  if (serialized.command instanceof Object)
    serialized.command = (serialized.command as { name?: unknown }).name;
  for (const key of ['detail', 'where']) if (quotesData.test(String(serialized[key]))) delete serialized[key];
  const { aggregateErrors } = serialized;
  // What HTTP clients throw carries the whole request: the key that was sent, and of travellers all there is.
  for (const [key, value] of Object.entries(serialized))
    if (isObject(value) && key !== 'aggregateErrors') delete serialized[key];
  withinRoom(serialized, room);
  if (Array.isArray(aggregateErrors)) {
    const parts = aggregateErrors.slice(0, room.parts);
    room.parts -= parts.length;
    serialized.aggregateErrors = parts.flatMap((part) => partWithoutData(part, room));
    if (aggregateErrors.length > parts.length)
      serialized.partsLeftOut = aggregateErrors.length - parts.length;
  }
  return serialized;
}

/** Only what has been serialized is a copy: any other object is left out. */
function partWithoutData(part: unknown, room: Room): unknown[] {
  if (!isObject(part)) return [withoutParticulars(part)];
  return 'raw' in part ? [withoutData(part as Record<string, unknown>, room)] : [];
}
