import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Lets Node.js collect garbage when it is told to.
 * @returns what collects all that nobody uses. What was used in a turn of the event loop is kept until the next.
 */
export function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
