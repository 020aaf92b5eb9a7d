import type { Server } from 'node:http';
import type { Express, Request, Response } from 'express';
import { answerBrokenRequests } from '../rest/brokenRequests.ts';
import { createCallbackRouter } from '../rest/callbacks.ts';
import { createDocsRouter } from '../rest/docs.ts';
import { createEticketRouter } from '../rest/etickets.ts';
import { createFaviconRouter } from '../rest/favicon.ts';
import { createFileRouter } from '../rest/files.ts';
import { createRestDoor } from '../rest/index.ts';
import { createLogoRouter } from '../rest/logos.ts';
import { refuse, refuseTheRest, refusingHeads } from '../rest/refusal.ts';
import { createSimulatorRouter } from '../rest/simulator.ts';
import { startPage } from '../rest/startPage.ts';
import type { GraphqlDoor } from '../schema/door/door.ts';
import { createGraphqlDoor } from '../schema/door/door.ts';
import { gatewaySchema } from '../schema/index.ts';
import type { Gateway } from './domain/gateway.ts';
import type { AppError } from './errors.ts';
import { createApplication, createHttpServer } from './infrastructure/http/application.ts';
import { Connections, mostDescriptors } from './infrastructure/http/connections.ts';
import { DirectRoutes } from './infrastructure/http/directRoutes.ts';
import { answerPreflight } from './infrastructure/http/headers.ts';
import { createListener } from './infrastructure/http/listener.ts';
import { pathOf } from './infrastructure/http/offeredProtocols.ts';
import type { ProbeParts } from './infrastructure/http/probes.ts';
import { createProbesRouter } from './infrastructure/http/probes.ts';
import { restPrefix } from './infrastructure/http/restPrefix.ts';

export interface Doors {
  graphql: GraphqlDoor;
  /** Endpoints that need not be looked for in the application. */
  direct: DirectRoutes;
  /** Answers a request for what is wrong with its head, as its door has it; undefined where it is for none of them. */
  refuseHead(fault: AppError, request: Request, response: Response): Promise<void> | undefined;
}

/** The doors of an api process, mounted on its application. */
function openDoors(application: Express, gateway: Gateway): Doors {
  const { platform, access } = gateway;
  const door = createGraphqlDoor(gatewaySchema(), gateway);
  application.use((request, response, next) => {
    const { origin, 'access-control-request-method': wanted } = request.headers;
    if (request.method !== 'OPTIONS' || origin === undefined || wanted === undefined) return next();
    request.routeName = 'preflight';
    access.originIsKnown(origin).then((allowed) => answerPreflight(request, response, allowed), next);
  });
  const rest = createRestDoor(gateway);
  application.use(restPrefix, rest.router);
  application.use('/graphql', door.router);
  application.use('/docs', createDocsRouter());
  if (platform.paymentProvider.name === 'simulated')
    application.use('/simulator', createSimulatorRouter(gateway));
  application.use(createCallbackRouter(gateway));
  application.use(createFileRouter(gateway));
  application.use(createEticketRouter(gateway));
  application.use(createLogoRouter(platform.log));
  application.use(createFaviconRouter());
  application.get('/', startPage);
  const refuseRestHead = refusingHeads(gateway);
  return {
    graphql: door,
    direct: new DirectRoutes([...rest.direct, ...door.direct]),
    refuseHead(fault, request, response) {
      // Of two keys nobody can say whose the request is.
      if (fault.details.field === 'Authorization') return undefined;
      const path = `${pathOf(request.url)}/`;
      if (path.startsWith('/graphql/')) return door.refuseHead(fault, request, response);
      return path.startsWith(`${restPrefix}/`) ? refuseRestHead(fault, request, response) : undefined;
    },
  };
}

/** What takes requests, with the doors of a process that has some; it does not listen yet. */
export function openHttp(
  gateway: Gateway,
  readiness: Pick<ProbeParts, 'checks' | 'isServing'>,
): { server: Server; doors: Doors | null; connections: Connections } {
  const { platform } = gateway;
  const { settings, log, metrics } = platform;
  const application = createApplication({ trustProxy: settings.TRUST_PROXY });
  application.use(createProbesRouter({ ...readiness, metrics, metricsKey: settings.METRICS_KEY }));
  const doors = settings.ROLES.includes('api') ? openDoors(application, gateway) : null;
  refuseTheRest(application, log);
  const connections = new Connections({ descriptors: mostDescriptors(), log, metrics });
  const listener = createListener({
    application,
    direct: doors?.direct ?? new DirectRoutes([]),
    connections,
    log,
    metrics,
    refuse: (error, response) => refuse(error, response, log),
    refuseHead(fault, request, response) {
      const answering = doors?.refuseHead(fault, request, response);
      if (answering) answering.catch((error) => refuse(error, response, log));
      else refuse(fault, response, log);
    },
  });
  const server = createHttpServer(application, listener);
  connections.follow(server);
  answerBrokenRequests(server, log);
  return { server, doors, connections };
}
