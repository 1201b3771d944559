/** Counts a document's tokens and open brackets before anything builds a tree from them. */
import { GraphQLError, Lexer, Source, TokenKind } from 'graphql';
import { documentRefusal, type Refusal, refusal } from './refusal.ts';

const tokensMax = 2_000;
/** Deeper ones overflow the parser's stack sooner or later. */
const openBracketsMax = 40;

const opening: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** @returns why the document is not even parsed, or null */
export function refuseTokens(text: string): Refusal | null {
  const lexer = new Lexer(new Source(text));
  let open = 0;
  try {
    for (let tokens = 0; ; tokens += 1) {
      const { kind } = lexer.advance();
      if (kind === TokenKind.EOF) return null;
      if (tokens >= tokensMax) return tooComplex(`more than ${tokensMax} tokens`);
      open += Number(opening.has(kind)) - Number(closing.has(kind));
      if (open > openBracketsMax) return tooComplex(`more than ${openBracketsMax} open brackets`);
    }
  } catch (error) {
    if (error instanceof GraphQLError) return documentRefusal('GRAPHQL_PARSE_FAILED', error);
    throw error;
  }
}

function tooComplex(excess: string): Refusal {
  return refusal('QUERY_TOO_COMPLEX', `The document has ${excess}.`);
}
