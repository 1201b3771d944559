/** Every regular expression of the sources: literals by parsing, built ones by watching the constructor while a module is imported. */
import { globSync, readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';

export type Pattern = { readonly where: string; readonly source: string; readonly flags: string };
/** A call `new RegExp(…)`. */
type Construction = { readonly file: string; readonly line: number };

const root = new URL('../../../', import.meta.url).pathname;

export function sourceFiles(): readonly string[] {
  // This script reads only the published rules, when they are updated.
  const exclude = ['scripts/gitleaks-rules.ts'];
  return globSync(['src/**/*.{ts,mjs}', 'scripts/**/*.ts'], { cwd: root, exclude }).toSorted();
}

export function readSource(file: string): string {
  return readFileSync(`${root}${file}`, 'utf8');
}

/** @param text of a TypeScript module @returns its literals, and the places that build others */
export function patternsIn(file: string, text: string) {
  const literals: Pattern[] = [];
  const constructions: Construction[] = [];
  const lineOf = (index: number) => text.slice(0, index).split('\n').length;
  const { program } = parseSync(file, text);
  new Visitor({
    Literal: (node) => {
      if (!('regex' in node)) return;
      const { pattern, flags } = node.regex;
      literals.push({ where: `${file}:${lineOf(node.start)}`, source: pattern, flags });
    },
    NewExpression: ({ callee, start }) => {
      if (callee.type === 'Identifier' && callee.name === 'RegExp') constructions.push({ file, line: lineOf(start) });
    },
  }).visit(program);
  return { literals, constructions };
}

/** @param run imports modules or calls their functions @returns each regular expression that the sources build during it */
export async function builtDuring(run: () => unknown): Promise<readonly Pattern[]> {
  const built: Pattern[] = [];
  const Native = globalThis.RegExp;
  globalThis.RegExp = new Proxy(Native, {
    construct: (target, parameters, newTarget) => {
      const pattern: RegExp = Reflect.construct(target, parameters, newTarget);
      const where = /\/(src\/[^:)?]+)/.exec(new Error('built').stack ?? '')?.[1];
      if (where !== undefined) built.push({ where, source: pattern.source, flags: pattern.flags });
      return pattern;
    },
  });
  try {
    await run();
  } finally {
    globalThis.RegExp = Native;
  }
  return built;
}
