import type { SelectionSetNode } from 'graphql';
import { Kind } from 'graphql';

/** Takes the null fields marked with @omitNull out of a result, in place. */
export type Omission = (value: unknown) => void;

/** The omission of a selection set, or null when nothing below it is marked. */
export function omissionOf(selectionSet: SelectionSetNode | undefined): Omission | null {
  const omitted: string[] = [];
  const children: [string, Omission][] = [];
  const collect = (selections: SelectionSetNode) => {
    for (const selection of selections.selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      if (selection.kind !== Kind.FIELD) continue;
      const key = selection.alias?.value ?? selection.name.value;
      if (selection.directives?.some((directive) => directive.name.value === 'omitNull')) omitted.push(key);
      const child = omissionOf(selection.selectionSet);
      if (child) children.push([key, child]);
    }
  };
  if (selectionSet) collect(selectionSet);
  if (omitted.length === 0 && children.length === 0) return null;
  const omit: Omission = (value) => {
    if (Array.isArray(value)) {
      for (const item of value) omit(item);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const members = value as Record<string, unknown>;
    for (const key of omitted) if (members[key] === null) delete members[key];
    for (const [key, child] of children) child(members[key]);
  };
  return omit;
}
