/** Parts that a time is counted in: however long the process stands still, that is one of them at most. */
const parts = 4;

/**
 * Acts after so long, in milliseconds, unless it is called off before. Node.js runs timers before it reads: what came while
 * the process stood still is read first, so that nobody is given up whose answer is there. And a time that passed while it
 * stood still is not over: who needs several answers has most of it left.
 * @param keepsProcess whether the process may not end before.
 * @returns what calls it off.
 */
export function lateAfter(milliseconds: number, act: () => void, keepsProcess = true): () => void {
  let acting: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout;
  const wait = (left: number) => {
    timer = setTimeout(
      () => {
        if (left > 1) wait(left - 1);
        else acting = setImmediate(act);
      },
      Math.ceil(milliseconds / parts),
    );
    if (!keepsProcess) timer.unref();
  };
  wait(parts);
  return () => {
    clearTimeout(timer);
    clearImmediate(acting);
  };
}
