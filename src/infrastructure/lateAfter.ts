/**
 * Acts after so long, in milliseconds, unless it is called off before. Node.js runs timers before it reads: what came while
 * the process stood still is read first, so that nobody is given up whose answer is there.
 * @param keepsProcess whether the process may not end before.
 * @returns what calls it off.
 */
export function lateAfter(milliseconds: number, act: () => void, keepsProcess = true): () => void {
  let acting: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    acting = setImmediate(act);
  }, milliseconds);
  if (!keepsProcess) timer.unref();
  return () => {
    clearTimeout(timer);
    clearImmediate(acting);
  };
}
