import type { Request, Response } from 'express';
import { pathParametersOf, respeltPath } from './pathParameters.ts';

/** Answers a request; may be asynchronous. */
export type DirectHandler = (request: Request, response: Response) => void | Promise<void>;

/** A declared endpoint: its path from the root, with `:name` for parameters. */
export interface DirectRoute {
  readonly method: string;
  readonly path: string;
  readonly handler: DirectHandler;
}

interface Pattern {
  readonly expression: RegExp;
  readonly names: readonly string[];
  readonly handler: DirectHandler;
}

interface MethodRoutes {
  readonly exact: Map<string, DirectHandler>;
  readonly patterns: Pattern[];
}

/**
 * Finds the endpoint of a request whose path is spelled as declared, without asking each router and route in turn.
 * Whatever else Express would take (other spellings, escaped characters, HEAD) is left to it, with the same outcome.
 */
export class DirectRoutes {
  readonly #methods = new Map<string, MethodRoutes>();

  constructor(routes: readonly DirectRoute[]) {
    for (const route of routes) this.#add(route);
  }

  /** The handler for a request, whose parameters are filled in; undefined when Express has to look at it. */
  find(request: Request): DirectHandler | undefined {
    const routes = this.#methods.get(request.method);
    if (!routes) return undefined;
    const { url } = request;
    const queryAt = url.indexOf('?');
    const path = queryAt === -1 ? url : url.slice(0, queryAt);
    const exact = routes.exact.get(path);
    if (exact) {
      request.params = {};
      return exact;
    }
    for (const { expression, names, handler } of routes.patterns) {
      const match = expression.exec(path);
      if (!match) continue;
      request.params = Object.fromEntries(names.map((name, index) => [name, match[index + 1] as string]));
      return handler;
    }
    return undefined;
  }

  #add({ method, path, handler }: DirectRoute): void {
    const routes: MethodRoutes = this.#methods.get(method) ?? { exact: new Map(), patterns: [] };
    this.#methods.set(method, routes);
    const names = pathParametersOf(path);
    if (names.length > 0) {
      const expression = new RegExp(`^${respeltPath(path, () => '([\\w.~-]+)')}$`);
      routes.patterns.push({ expression, names, handler });
    } else if (!routes.exact.has(path) && !routes.patterns.some(({ expression }) => expression.test(path))) {
      // What was declared first wins, as it does in Express.
      routes.exact.set(path, handler);
    }
  }
}
