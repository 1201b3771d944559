/** Reads the imports between files of `src`, types included, and names those that the table of test/imports.test.ts does not allow. */
import { posix } from 'node:path';

/** A folder, what it may import of `src` beside itself, and which packages. */
export type Rule = {
  readonly folder: string;
  readonly folders: readonly string[];
  readonly packages: readonly string[];
};

/** The text of each file by its path from the project's root. */
export type Sources = ReadonlyMap<string, string>;

const importPattern = /^(?:import|export)\b[^'"`;]*?from\s*'([^']+)'|^import\s*'([^']+)'|\bimport\(\s*'([^']+)'\)/gm;

function importsOf(source: string): readonly string[] {
  return [...source.matchAll(importPattern)].map(([, from, plain, dynamic]) => from ?? plain ?? dynamic ?? '');
}

/** @returns a line for each import that no rule allows, and for each file that no rule covers */
export function violations(sources: Sources, rules: readonly Rule[]): readonly string[] {
  return [...sources].flatMap(([file, source]) => {
    const rule = ruleFor(file, rules);
    if (rule === undefined) return [`${file}: no rule covers it`];
    return importsOf(source)
      .filter((target) => !isAllowed(file, target, rule))
      .map((target) => `${file}: ${target}`);
  });
}

function ruleFor(file: string, rules: readonly Rule[]): Rule | undefined {
  const covering = rules.filter(({ folder }) => isWithin(file, folder));
  return covering.toSorted((one, other) => other.folder.length - one.folder.length)[0];
}

function isAllowed(file: string, target: string, { folder, folders, packages }: Rule): boolean {
  if (target.startsWith('node:')) return true;
  if (!target.startsWith('.')) return packages.includes(target.split('/', target.startsWith('@') ? 2 : 1).join('/'));
  const path = posix.join(posix.dirname(file), target);
  return [folder, ...folders].some((allowed) => isWithin(path, allowed));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** @returns each group of files that import each other in a circle, types counted */
export function circles(sources: Sources): readonly (readonly string[])[] {
  const graph = new Map([...sources].map(([file, source]) => [file, targetsOf(file, source)]));
  const found: string[][] = [];
  const state = new Map<string, 'open' | 'done'>();
  const walk = (file: string, path: readonly string[]) => {
    if (state.get(file) === 'done' || !graph.has(file)) return;
    if (state.get(file) === 'open') {
      found.push([...path.slice(path.indexOf(file)), file]);
      return;
    }
    state.set(file, 'open');
    for (const target of graph.get(file) ?? []) walk(target, [...path, file]);
    state.set(file, 'done');
  };
  for (const file of graph.keys()) walk(file, []);
  return found;
}

function targetsOf(file: string, source: string): readonly string[] {
  return importsOf(source)
    .filter((target) => target.startsWith('.'))
    .map((target) => posix.join(posix.dirname(file), target));
}
