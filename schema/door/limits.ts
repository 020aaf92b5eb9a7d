import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import type { DocumentNode, ValidationContext, ValidationRule } from 'graphql';
import {
  GraphQLError,
  Lexer,
  NoSchemaIntrospectionCustomRule,
  parse,
  Source,
  TokenKind,
  visit,
} from 'graphql';
import { sizeRule } from './documentSize.ts';

/** How large a GraphQL document may be: what the doors' own documents need, several times over. */
export const documentLimits = {
  depth: 12,
  aliases: 30,
  directives: 20,
  cost: 6_000,
  tokens: 3_000,
  lines: 3_000,
  /** Braces, brackets and parentheses, one within the other. */
  nesting: 100,
  fragments: 30,
  /** Characters of a name: the messages of a hundred faults have it. */
  name: 255,
  /** Characters of an alias: it stands in an answer as often as what it names. */
  alias: 64,
  /** Levels below `__schema`, of which tools ask for fifteen. */
  introspectionDepth: 25,
  /** Operations in one HTTP request. */
  batch: 10,
} as const;

/**
 * What GraphQL's own rules must not be given.
 * @throws GraphQLError as a fault of the document.
 */
export function checkSource(source: string): void {
  checkLines(source);
  checkNesting(source);
  checkFragments(source);
  checkNames(source);
}

const beyond = (message: string) =>
  new GraphQLError(message, { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });

/**
 * A document of many lines, before anything is found wrong with it: for each error, up to its place, they are counted anew.
 */
function checkLines(source: string): void {
  const { lines } = documentLimits;
  if (source.split(lineBreak, lines + 1).length > lines) throw beyond(`Too many lines: at most ${lines}`);
}

/** As GraphQL has it. */
const lineBreak = /\r\n|[\n\r]/;

const openings: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closings: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** Lists within lists, before they are parsed: each takes room on the stack, which three thousand overflow. */
function checkNesting(source: string): void {
  const { nesting } = documentLimits;
  if ((source.match(/[[{(]/g)?.length ?? 0) > nesting && deepestIn(source) > nesting)
    throw beyond(`Nested too deeply: at most ${nesting} braces, brackets and parentheses within one another`);
}

/** As far as the document can be read, and has no more tokens than it may. */
function deepestIn(source: string): number {
  const lexer = new Lexer(new Source(source));
  let open = 0;
  let deepest = 0;
  try {
    for (let token = 0; token < documentLimits.tokens; token += 1) {
      const { kind } = lexer.advance();
      if (openings.has(kind)) open += 1;
      else if (closings.has(kind)) open -= 1;
      else if (kind === TokenKind.EOF) break;
      deepest = Math.max(deepest, open);
    }
  } catch {
    // What cannot be read is said by the parser.
  }
  return deepest;
}

/**
 * A document with many fragments, before anything follows them: the rules overflow the stack on some eighty that spread one
 * another in circles. What looks like a definition in a text counts as well.
 */
function checkFragments(source: string): void {
  const { fragments } = documentLimits;
  if ((source.match(/\bfragment\b/g)?.length ?? 0) > fragments)
    throw beyond(`Too many fragments: at most ${fragments}`);
}

/** Looked for from where a word begins: from within, each would be read as often as it has letters. */
const longWord = new RegExp(`\\b\\w{${documentLimits.alias + 1}}`);

/** A document within the limit of tokens; null for one that cannot be read, of which others say what is wrong. */
export function readDocument(source: string): DocumentNode | null {
  try {
    return parse(source, { maxTokens: documentLimits.tokens });
  } catch {
    return null;
  }
}

/** Names that would be repeated to make a large answer of a small document. */
function checkNames(source: string): void {
  // A text may have long words, too.
  if (!longWord.test(source)) return;
  const { name: longestName, alias: longestAlias } = documentLimits;
  const document = readDocument(source);
  if (!document) return;
  visit(document, {
    Name({ value }) {
      if (value.length > longestName) throw beyond(`Name too long: at most ${longestName} characters`);
    },
    Field({ alias }) {
      if (alias && alias.value.length > longestAlias)
        throw beyond(`Alias too long: at most ${longestAlias} characters`);
    },
  });
}

/** Reports a breach like any other fault of the document; left to themselves, the rules throw through validation. */
const reporting = {
  onReject: [(context: ValidationContext | null, error: GraphQLError) => context?.reportError(error)],
  propagateOnRejection: false,
};

/**
 * What tools ask of the schema is deeper, and costs more, than any other document may. It has no aliases, without which the
 * schema is in an answer once.
 */
const plainIntrospection: ValidationRule = (context) => ({
  Field(node) {
    const isOfSchema =
      node.name.value === '__schema' ||
      node.name.value === '__type' ||
      context.getParentType()?.name.startsWith('__');
    if (node.alias && isOfSchema)
      context.reportError(new GraphQLError('Introspection takes no aliases', { nodes: node }));
  },
});

/** Validation rules beyond GraphQL's own, of every door. @param introspection whether clients may ask for the schema. */
export function limitRules(introspection: boolean): ValidationRule[] {
  return [
    ...(introspection ? [] : [NoSchemaIntrospectionCustomRule]),
    plainIntrospection,
    sizeRule(documentLimits),
    maxAliasesRule({ n: documentLimits.aliases, allowList: [], ...reporting }),
    maxDirectivesRule({ n: documentLimits.directives, ...reporting }),
  ] as unknown as ValidationRule[];
}
