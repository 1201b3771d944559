/** Generates data from secretlint's recommended preset (MIT): its patterns, and the literals that each begins with. */
import { readFile } from 'node:fs/promises';
import { rules as packaged } from '@secretlint/secretlint-rule-preset-recommend';
import { isLinear, literalBeginnings, prefixUnitsMin, quoted, withoutBoundary } from './secret-patterns.ts';

const packageFolder = 'node_modules/@secretlint/secretlint-rule-preset-recommend';

type RuleCreator = {
  readonly meta: { readonly id: string };
  readonly create: (context: object, options: object) => { readonly file?: (source: object) => unknown };
};
type Rule = { readonly provider: string; readonly prefixes: readonly string[]; readonly pattern: RegExp };

/** @returns the text of src/shared/redaction/generated/secret-rules.ts */
export async function secretRules(): Promise<string> {
  const { version } = JSON.parse(await readFile(`${packageFolder}/package.json`, 'utf8'));
  const kept: Rule[] = [];
  for (const creator of packaged as readonly RuleCreator[]) kept.push(...(await rulesOf(creator)));
  const rows = kept.map(({ provider, prefixes, pattern }) => {
    return `  { provider: ${quoted(provider)}, prefixes: [${prefixes.map(quoted).join(', ')}], pattern: ${pattern} },`;
  });
  return `/**
 * Generated from @secretlint/secretlint-rule-preset-recommend ${version} by \`npm run generate\`. Never edited.
 * MIT License, Copyright (c) 2020 azu, https://github.com/secretlint/secretlint (docs/masking.md has the licence).
 */
export const secretRules = [
${rows.join('\n')}
] as const;
`;
}

/** Runs one rule over a text that records the patterns it is matched with. */
async function rulesOf({ meta, create }: RuleCreator): Promise<readonly Rule[]> {
  const patterns: RegExp[] = [];
  class RecordingText extends String {
    override matchAll(pattern: RegExp): RegExpStringIterator<RegExpExecArray> {
      patterns.push(pattern);
      return ''.matchAll(pattern);
    }
  }
  const context = { createTranslator: () => () => ({}), report: () => undefined, ignore: () => undefined };
  const source = { content: new RecordingText(''), filePath: 'error.log', ext: '.log', contentType: 'text' };
  await create(context, {}).file?.(source);
  const provider = meta.id.replace('@secretlint/secretlint-rule-', '');
  return patterns
    .filter((pattern) => isKey(pattern) && isLinear(pattern))
    .flatMap((pattern) => {
      const prefixes = literalBeginnings(pattern.source).filter((prefix) => prefix.length >= prefixUnitsMin);
      const flags = pattern.flags.replace('g', '');
      return prefixes.length > 0
        ? [{ provider, prefixes, pattern: new RegExp(withoutBoundary(pattern.source), `${flags}y`) }]
        : [];
    });
}

/** Addresses and private keys have their own finders. */
function isKey({ source }: RegExp): boolean {
  return !/:\\\/|-----/.test(source);
}
