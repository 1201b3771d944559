/**
 * Texts that were written before any rule for them, with the secret between « and »: test/fixtures/masking.json.
 * `{{alnum:32}}` stands for drawn characters, so the file holds no key of a provider.
 */
import { readFileSync } from 'node:fs';
import { alphabets, createDraw, type Draw } from './draw.ts';
import type { LabelledSecret } from './secret-shapes.ts';

type Fixture = { readonly secrets: Readonly<Record<string, string>>; readonly innocent: readonly string[] };

const fixture: Fixture = JSON.parse(readFileSync('test/fixtures/masking.json', 'utf8'));
const drawn = /\{\{(\w+?)(\d+)?(?::([^{}]+))?\}\}/g;

/** @returns each marked value with its text; a shape may have several values */
export function markedSecrets(seed: number): readonly LabelledSecret[] {
  const draw = createDraw(seed);
  return Object.entries(fixture.secrets).flatMap(([shape, template]) => {
    const marked = filled(template, draw);
    const text = marked.replace(/[«»]/g, '');
    return [...marked.matchAll(/«([^»]*)»/g)].map(([, secret = '']) => ({ shape, secret, text }));
  });
}

/** @returns lines that only look as if they held a secret */
export function confusingLines(seed: number): readonly string[] {
  const draw = createDraw(seed);
  return fixture.innocent.map((template) => filled(template, draw));
}

function filled(template: string, draw: Draw): string {
  return template.replace(drawn, (whole, kind: string, count: string | undefined, argument = '') => {
    const bytes = (length: number) => Array.from({ length }, () => draw.below(256));
    if (kind === 'uuid') return draw.uuid();
    if (kind === 'bytes') return bytes(Number(count)).join(argument);
    if (kind === 'base' && argument === '') return whole;
    const name = `${kind}${count ?? ''}`;
    if (name === 'base64Bytes') return Buffer.from(bytes(Number(argument))).toString('base64');
    if (name === 'urlBytes') return Buffer.from(bytes(Number(argument))).toString('base64url');
    if (name === 'wide') return draw.of('alnum', Number(argument)).replace(/./g, wideOf);
    return name in alphabets ? draw.of(name as keyof typeof alphabets, Number(argument)) : whole;
  });
}

function wideOf(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) + 0xfee0);
}
