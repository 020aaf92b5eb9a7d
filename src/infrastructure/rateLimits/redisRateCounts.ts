import { Redis } from 'ioredis';
import { lateAfter } from '../lateAfter.ts';
import type { ConnectionOutage } from '../observability/connectionOutage.ts';
import type { Log } from '../observability/log.ts';
import { hearLosses, isOfReplica, redisOutage, redisSilenceMs } from '../observability/redisOutages.ts';
import { pause } from '../pause.ts';
import type { CountedWindow } from './rateWindows.ts';

/**
 * Counts requests of many subjects at once. KEYS: one for each subject. ARGV: the window's length in milliseconds, then
 * how many requests each subject has. Returns, for each, its count after them and the milliseconds that its window has
 * left. One that ends later than a new one would was opened before the clock of Redis was set back: it must not last that
 * long.
 */
const countScript = `
  local counted = {}
  for index, key in ipairs(KEYS) do
    local count = redis.call('INCRBY', key, ARGV[index + 1])
    local left = redis.call('PTTL', key)
    if left < 0 then
      redis.call('PEXPIRE', key, ARGV[1])
      left = tonumber(ARGV[1])
    elseif left > tonumber(ARGV[1]) then
      count = tonumber(ARGV[index + 1])
      redis.call('SET', key, count, 'PX', ARGV[1])
      left = tonumber(ARGV[1])
    end
    counted[2 * index - 1] = count
    counted[2 * index] = left
  end
  return counted`;

interface CountingRedis extends Redis {
  countRequests(keys: number, ...keysAndValues: (string | number)[]): Promise<number[]>;
}

interface Waiting {
  resolve(window: CountedWindow): void;
  reject(error: unknown): void;
}

/** Subjects in one call of the script: Redis does nothing else while it runs. */
const subjectsInBatch = 200;

/** What is counted to find out whether Redis counts: one that answers may be full, or a replica. */
const trialKey = 'embarque:rate:trial';

const betweenTrialsMs = 500;

/** How long requests are kept waiting for Redis at most, unless said otherwise. */
const usualPatienceMs = 500;

/** What Redis answers, for as long as requests wait for it. */
function inTime(answer: Promise<number[]>, patienceMs: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const callOff = lateAfter(patienceMs, () => reject(new Error('Command timed out')));
    answer.then(resolve, reject).finally(callOff);
  });
}

/**
 * Windows shared by all processes. Requests that arrive in one turn of the event loop are counted by one command.
 *
 * The first command that fails begins an outage, in which requests are not kept waiting: whether Redis counts again is
 * tried beside them.
 */
export class RedisRateCounts {
  readonly #client: CountingRedis;
  readonly #lengthMs: number;
  readonly #patienceMs: number;
  readonly #outage: ConnectionOutage;
  readonly #closing = new AbortController();
  #isTrying = false;
  #waiting = new Map<string, Waiting[]>();

  constructor(url: string, lengthMs: number, log: Log, patienceMs = usualPatienceMs) {
    this.#lengthMs = lengthMs;
    this.#patienceMs = patienceMs;
    this.#outage = redisOutage('rate limits', 'counting in memory', log);
    this.#client = new Redis(url, {
      connectionName: 'embarque-rate-limits',
      // A request must not wait for a Redis that is away: it is counted in memory instead.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      socketTimeout: redisSilenceMs,
      retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
      reconnectOnError: isOfReplica,
    }) as CountingRedis;
    this.#client.defineCommand('countRequests', { lua: countScript });
    hearLosses(this.#client, (error) => this.#lose(error));
    this.#client.on('ready', () => void this.#tryUntilItCounts());
  }

  get isReady(): boolean {
    return this.#client.status === 'ready' && !this.#outage.isOn;
  }

  /** Counts one request under a key. @throws the client's error when Redis does not answer. */
  count(key: string): Promise<CountedWindow> {
    // Once all of the turn's requests have come: a command for the first alone would be one more.
    if (this.#waiting.size === 0) setImmediate(() => this.#send());
    return new Promise<CountedWindow>((resolve, reject) => {
      const waiting = this.#waiting.get(key);
      if (waiting) waiting.push({ resolve, reject });
      else this.#waiting.set(key, [{ resolve, reject }]);
    });
  }

  close(): void {
    this.#closing.abort();
    this.#client.disconnect();
  }

  #lose(error: Error): void {
    this.#outage.begin(error);
    void this.#tryUntilItCounts();
  }

  async #tryUntilItCounts(): Promise<void> {
    if (this.#isTrying) return;
    this.#isTrying = true;
    // A client that is disconnected while it waits to connect again says for good that it does: not its status tells.
    const { signal } = this.#closing;
    while (this.#outage.isOn && !signal.aborted) {
      if (await this.#counts()) this.#outage.end();
      else await pause(betweenTrialsMs, signal, false);
    }
    this.#isTrying = false;
  }

  #counts(): Promise<boolean> {
    return inTime(this.#client.countRequests(1, trialKey, this.#lengthMs, 1), this.#patienceMs).then(
      () => true,
      () => false,
    );
  }

  #send(): void {
    const waiting = [...this.#waiting];
    this.#waiting = new Map();
    for (let from = 0; from < waiting.length; from += subjectsInBatch) {
      const batch = waiting.slice(from, from + subjectsInBatch);
      const counting = this.#client.countRequests(
        batch.length,
        ...batch.map(([key]) => key),
        this.#lengthMs,
        ...batch.map(([, { length }]) => length),
      );
      inTime(counting, this.#patienceMs).then(
        (counted) => answer(batch, counted),
        (error) => {
          this.#lose(error);
          refuse(batch, error);
        },
      );
    }
  }
}

/** Requests of one subject take the numbers up to its count, in the order of their arrival. */
function answer(batch: [string, Waiting[]][], counted: readonly number[]): void {
  const nowMs = Date.now();
  batch.forEach(([, waiting], subject) => {
    const count = counted[2 * subject] as number;
    const endsAtMs = nowMs + (counted[2 * subject + 1] as number);
    for (const [index, { resolve }] of waiting.entries()) {
      resolve({ count: count - waiting.length + index + 1, endsAtMs });
    }
  });
}

function refuse(batch: [string, Waiting[]][], error: unknown): void {
  for (const [, waiting] of batch) for (const { reject } of waiting) reject(error);
}
