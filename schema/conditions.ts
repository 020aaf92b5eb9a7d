import type { DirectiveNode } from 'graphql';

/** Whether a directive says under which condition its field or fragment counts. */
export const isCondition = ({ name }: DirectiveNode): boolean =>
  name.value === 'skip' || name.value === 'include';
