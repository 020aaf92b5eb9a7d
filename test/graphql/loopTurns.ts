/** Counts turns of the event loop until it is stopped. */
export function countLoopTurns() {
  let turn = 0;
  let counting: NodeJS.Immediate;
  const count = () => {
    turn += 1;
    counting = setImmediate(count);
  };
  count();
  return { now: () => turn, stop: () => clearImmediate(counting) };
}
