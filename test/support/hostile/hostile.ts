/** The hostile cases of the specification, with their generated strings expanded. */
import { readFileSync } from 'node:fs';

type Generator = readonly [kind: string, ...arguments: readonly unknown[]];
type Given = { readonly string?: string | { readonly gen?: Generator; readonly lines?: readonly string[] } };

export type HostileCase = {
  readonly id: string;
  readonly section: string;
  readonly given: Given & Readonly<Record<string, unknown>>;
  readonly expect: Readonly<Record<string, unknown>>;
  readonly why: string;
};

const file = new URL('../../fixtures/hostile-slack.json', import.meta.url);

/** @param section such as `text` */
export function hostileCases(section: string): readonly HostileCase[] {
  const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { readonly cases: readonly HostileCase[] };
  return cases.filter((one) => one.section === section);
}

/** The cases of a section that are one string, as [id, string, case]. */
export function hostileStrings(section: string): readonly (readonly [string, string, HostileCase])[] {
  return hostileCases(section).flatMap((one) => {
    const { string } = one.given;
    if (string === undefined) return [];
    return [[one.id, typeof string === 'string' ? string : spellOut(string), one] as const];
  });
}

/** @param given a string of a case, as the file writes one */
export function spellOut({ gen, lines }: { readonly gen?: Generator; readonly lines?: readonly string[] }): string {
  if (lines) return lines.join('\n');
  const [kind, first, second, prefix = ''] = gen ?? [];
  switch (kind) {
    case 'repeat':
      return String(prefix) + String(first).repeat(Number(second));
    case 'nest':
      return '['.repeat(Number(first)) + ']'.repeat(Number(first));
    case 'url':
      return `https://evil.example/${'a'.repeat(Number(first) - 21)}`;
    case 'random-bytes':
      return randomText(Number(first), Number(second));
    default:
      throw new Error(`There is no generator ${String(kind)}.`);
  }
}

/** The same bytes for the same seed, read as Latin-1. */
function randomText(length: number, seed: number): string {
  let state = seed;
  const units = Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (state >> 16) & 0xff;
  });
  return String.fromCharCode(...units);
}
