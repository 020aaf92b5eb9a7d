import type { GraphQLSchema } from 'graphql';
import { gatewaySchema } from '../../../schema/index.ts';
import { readSettings } from '../../../src/config.ts';
import type { RequestContext } from '../../../src/domain/admission.ts';
import { newContext } from '../../../src/domain/admission.ts';
import { identify } from '../../../src/domain/identification.ts';
import { startServer } from '../../../src/server.ts';

/**
 * The product's own schema and resolvers for peers to serve: keys are checked, scopes and rate limits hold as they are
 * part of the resolvers. Request ids, logs, metrics of requests and headers of limits are the doors' and left out,
 * which favours the peers.
 */
export interface PeerGateway {
  readonly schema: GraphQLSchema;
  readonly port: number;
  /** @throws AppError 401 */
  contextOf(authorization: string | null | undefined): Promise<RequestContext>;
}

/** Opens what lies behind the doors of a product process; its own doors get no requests. */
export async function openGateway(): Promise<PeerGateway> {
  const { gateway } = await startServer(readSettings({ ...process.env, PORT: '0', LOG_LEVEL: 'error' }));
  return {
    schema: gatewaySchema(),
    port: Number(process.env.PORT),
    async contextOf(authorization) {
      const caller = await identify(authorization ?? undefined, () => 'peer', gateway);
      return newContext(gateway, caller, null);
    },
  };
}
