import { createLog } from '../../src/infrastructure/observability/log.ts';

/** For all that log nowhere: each log listens for the end of its process, and files of a worker share that. */
export const silentLog = createLog('silent');
