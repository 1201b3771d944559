/** Names in src are the field's words: retired names stay out. */
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { retiredIdentifiers } from '../scripts/retired-words.ts';

const root = new URL('../', import.meta.url).pathname;
const retired = new Set(retiredIdentifiers);
const notCode = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;

function retiredIn(source: string): readonly string[] {
  const identifiers = source.replace(notCode, '').match(/[A-Za-z_]\w*/g) ?? [];
  return [...new Set(identifiers)].filter((identifier) => retired.has(identifier));
}

it('no file or identifier of src has a retired name', () => {
  const files = globSync('src/**/*.ts', { cwd: root, exclude: ['**/generated/**'] });
  const offending = files.flatMap((file) => {
    const found = retiredIn(readFileSync(root + file, 'utf8'));
    const named = retired.has(basename(file, '.ts')) ? ['its name'] : [];
    return [...named, ...found].map((word) => `${file}: ${word}`);
  });
  expect(offending).toEqual([]);
});

it('finds a retired name in code, and not in text', () => {
  const [name = ''] = retiredIdentifiers;
  expect(retiredIn(`const ${name} = 1;`)).toEqual([name]);
  expect(retiredIn(`const text = '${name}'; // ${name}`)).toEqual([]);
});

/** Names of the sample: of workflows and capabilities. */
const sampleName = /^(?:payments|settlement|[a-z0-9]+(?:-[a-z0-9]+)+(?:@[\d.]+)?)\b/;

const isWrong = (sentence: string) => /^[a-z].*[.!?]$/.test(sentence) && !sampleName.test(sentence);

function sentencesOf(line: string): readonly string[] {
  return line.replace(/^(?:[-•>\s]|:[\w+-]+:|\d+\.)+/, '').split(/(?<=[.!?]) (?=\S)/);
}

it('no sentence that people read begins with a small letter, unless with a name', () => {
  const messages = readFileSync(`${root}test/fixtures/golden.jsonl`, 'utf8').trim().split('\n');
  const lines = messages.flatMap((line) => String(JSON.parse(line).payload.text ?? '').split('\n'));
  const sentences = lines.flatMap(sentencesOf);
  expect(sentences.length).toBeGreaterThan(500);
  expect(sentences.filter(isWrong)).toEqual([]);
});

/** These sections have parts of sentences, which may begin a line, and names of programs. */
const inParts = /^(?:Other sentences|Programs, pages and further errors)\n/;
const program = /^(?:npm|chmod) /;

it('no sentence of docs/messages.md begins with a small letter, unless with a name', () => {
  const [, ...sections] = readFileSync(`${root}docs/messages.md`, 'utf8').split('\n## ');
  expect(sections.filter((section) => inParts.test(section))).toHaveLength(2);
  const sentences = sections.flatMap((section) =>
    section.split('\n').flatMap((line) => sentencesOf(line).slice(inParts.test(section) ? 1 : 0)),
  );
  expect(sentences.length).toBeGreaterThan(1_000);
  expect(sentences.filter((sentence) => isWrong(sentence) && !program.test(sentence))).toEqual([]);
});
