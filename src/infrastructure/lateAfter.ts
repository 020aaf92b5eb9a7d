/**
 * Acts after so long, in milliseconds, unless it is called off before. Node.js runs timers before it reads: what came while
 * the process stood still is read first, so that nobody is given up whose answer is there.
 * @returns what calls it off.
 */
export function lateAfter(milliseconds: number, act: () => void): () => void {
  let acting: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    acting = setImmediate(act);
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    if (acting) clearImmediate(acting);
  };
}
