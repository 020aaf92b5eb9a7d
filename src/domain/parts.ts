/** What is left of an input when members that are not of their types are taken out of it. */
export type Parts<Whole> = { readonly [Member in keyof Whole]?: Whole[Member] | undefined };
