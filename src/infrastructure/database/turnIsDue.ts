/**
 * SQL condition: it is time that one of any number of processes takes the turn that a row stands for. A turn that was put off
 * for longer than anybody does is one of a clock that was wrong, and due at once.
 * @param latest to when anybody may put off a turn now
 */
export const turnIsDueSql = (dueAt: string, now: string, latest: string): string =>
  `(${dueAt} <= ${now} OR ${dueAt} > ${latest})`;
