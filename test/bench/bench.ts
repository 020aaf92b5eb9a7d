import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Contender } from './contender.ts';
import { startContender } from './contender.ts';
import type { Generator } from './generator.ts';
import { startGenerator } from './generator.ts';
import type { Place } from './place.ts';
import type { World } from './world.ts';
import { createEmbeddedWorld, createWorld, operatorKey } from './world.ts';

/**
 * Servers that works share, started when the first asks for them. `memory` and `redis` are the product and say where
 * its rate limits are counted; `single` sends one statement for each request; `embedded` runs where there is no
 * PostgreSQL; the rest are peers.
 */
export type ContenderName =
  | 'limit'
  | 'handWritten'
  | 'yoga'
  | 'mercurius'
  | 'sofa'
  | 'memory'
  | 'memorySingle'
  | 'redis'
  | 'redisSingle'
  | 'embedded';

/** The built product, seen from the built benchmark. */
const product = '../../bundle/main.js';

/** As a deployment runs it, with limits that are counted but not hit. */
export const deployed = {
  ROLES: 'api',
  LOG_LEVEL: 'info',
  RATE_LIMIT_SEARCH: '1000000000',
  RATE_LIMIT_BOOKINGS: '1000000000',
  RATE_LIMIT_DEFAULT: '1000000000',
  RATE_LIMIT_WINDOW: '1h',
  BOOTSTRAP_ADMIN_KEY: operatorKey,
  ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  PAYMENT_PROVIDER: 'simulated',
  FLIGHT_SUPPLIERS: 'simulated',
  EXCHANGE_RATES: 'table',
};

/** Length of the measurements. */
export interface Pace {
  readonly rounds: number;
  /** Of one slice. */
  readonly seconds: number;
  /** Everything at the size that the goals name, however long that takes. */
  readonly full: boolean;
}

/** What a work has at hand: servers, their teams and keys, and the load generator. Stops whatever it started. */
export class Bench {
  private readonly shared = new Map<ContenderName, Promise<Contender>>();
  private readonly sharedRunning: Contender[] = [];
  private readonly own: Contender[] = [];
  private seeded: Promise<World> | undefined;
  private sharedGenerator: Generator | undefined;

  /** @param pace of the work that comes next. */
  constructor(
    readonly place: Place,
    public pace: Pace,
  ) {}

  get generator(): Generator {
    this.sharedGenerator ??= startGenerator();
    return this.sharedGenerator;
  }

  /** The shared server of that name, or null where there is nothing to run it on. */
  async contender(name: ContenderName): Promise<Contender | null> {
    const { databaseUrl, redisUrl } = this.place;
    if ((name === 'embedded') !== (databaseUrl === null)) return null;
    if (name.startsWith('redis') && !redisUrl) return null;
    const known = this.shared.get(name);
    if (known) return known;
    const started = this.startShared(name);
    this.shared.set(name, started);
    this.sharedRunning.push(await started);
    return started;
  }

  /** Teams, keys and ledgers of the shared servers. */
  world(): Promise<World> {
    this.seeded ??= this.seed();
    return this.seeded;
  }

  /**
   * The product with settings of its own on top of `deployed`, stopped when the work ends.
   * @param settings such as DATABASE_URL (see `database()`), or DATA_DIR for the embedded store.
   * @param reportsMemory whether it can be asked for `memory()`.
   */
  async product(name: string, settings: Record<string, string>, reportsMemory = false): Promise<Contender> {
    const environment = { ...deployed, ...settings };
    const contender = await this.start(name, product, environment, reportsMemory);
    this.own.push(contender);
    return contender;
  }

  /** A peer in peers/<module>.ts that answers GET /ready, stopped when the work ends. */
  async peer(name: string, module: string, environment: Record<string, string>): Promise<Contender> {
    const contender = await this.start(name, `./peers/${module}.js`, environment);
    this.own.push(contender);
    return contender;
  }

  /** URL of a new empty database, dropped at the end of the run. */
  database(): Promise<string> {
    return this.place.createDatabase();
  }

  /** Stops what the last work started for itself. */
  async endWork(): Promise<void> {
    await Promise.all(this.own.splice(0).map((contender) => contender.stop()));
  }

  async close(): Promise<void> {
    this.sharedGenerator?.stop();
    await this.endWork();
    await Promise.all(this.sharedRunning.map((contender) => contender.stop()));
  }

  private async startShared(name: ContenderName): Promise<Contender> {
    const { databaseUrl, redisUrl, folder } = this.place;
    if (name === 'embedded') return this.startProduct(name, { DATA_DIR: join(folder, 'data') });
    const database = { DATABASE_URL: databaseUrl ?? '' };
    if (name === 'limit' || name === 'handWritten') {
      const { callers } = await this.world();
      return this.start(name, `./peers/${name}.js`, { ...database, CALLERS: JSON.stringify(callers) });
    }
    const single = { COALESCE_READS: 'false' };
    if (name === 'yoga' || name === 'mercurius' || name === 'sofa')
      return this.start(name, `./peers/${name}.js`, { ...deployed, ...database, ...single });
    return this.startProduct(name, {
      ...database,
      ...(name.startsWith('redis') ? { REDIS_URL: redisUrl ?? '' } : {}),
      ...(name.endsWith('Single') ? single : {}),
    });
  }

  private startProduct(name: string, settings: Record<string, string>): Promise<Contender> {
    return this.start(name, product, { ...deployed, ...settings });
  }

  private start(
    name: string,
    module: string,
    environment: Record<string, string>,
    reportsMemory = false,
  ): Promise<Contender> {
    const readyPath = module.startsWith('./peers/') ? '/ready' : '/health/ready';
    return startContender({ name, module, environment, readyPath, reportsMemory, folder: this.place.folder });
  }

  private async seed(): Promise<World> {
    const { databaseUrl } = this.place;
    const seeder = (await this.contender(databaseUrl ? 'memory' : 'embedded')) as Contender;
    return databaseUrl ? createWorld(seeder.url, databaseUrl) : createEmbeddedWorld(seeder.url);
  }
}
