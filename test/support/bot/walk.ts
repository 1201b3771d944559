/** Walks a section of the hostile cases: each is run here, asserted by id in another test file, or waits for a feature. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type HostileCase, hostileCases } from '../hostile/hostile.ts';

export type CaseRun = (one: HostileCase) => unknown;

export type Walk = {
  readonly section: string;
  /** The function that runs a case, by its id without the section. */
  readonly runs: Readonly<Record<string, CaseRun>>;
  /** The parts of a case that need an unbuilt feature; shown in the test's name. */
  readonly open?: Readonly<Record<string, string>>;
  /** The design's decision if it differs from the case; shown in the test's name. */
  readonly instead?: Readonly<Record<string, string>>;
  /** The test file that asserts a case, naming its id. */
  readonly elsewhere?: Readonly<Record<string, string>>;
  /** The cases that need an unbuilt feature. */
  readonly later?: Readonly<Record<string, Later>>;
};

type Later = {
  /** Such as `digests are not built yet`. */
  readonly because: string;
  /** The folder whose first file ends the excuse; null if no folder will. */
  readonly until: string | null;
};

const root = new URL('../../../', import.meta.url);

/** Declares one test for each case of the section, named by its id, and one that every name here is a case. */
export function walk({ section, runs, open = {}, instead = {}, elsewhere = {}, later = {} }: Walk): void {
  const cases = hostileCases(section);
  describe(`the section ${section}`, () => {
    for (const one of cases) walkCase(one, { runs, open, instead, elsewhere, later });

    it('has every case once, and nothing here is of no case', () => {
      const names = [runs, elsewhere, later].flatMap((table) => Object.keys(table));
      expect(Object.keys({ ...open, ...instead }).filter((name) => !names.includes(name))).toEqual([]);
      expect(names.toSorted()).toEqual(cases.map(({ id }) => nameOf(id)).toSorted());
    });
  });
}

type Tables = Required<Omit<Walk, 'section'>>;

function walkCase(one: HostileCase, { runs, open, instead, elsewhere, later }: Tables): void {
  const { id, why } = one;
  const name = nameOf(id);
  const [run, file, excuse] = [runs[name], elsewhere[name], later[name]];
  const missing = open[name] === undefined ? '' : ` (NOT YET: ${open[name]})`;
  const rest = instead[name] === undefined ? missing : `${missing} (INSTEAD: ${instead[name]})`;
  if (run) it(`${id}: ${why}${rest}`, () => run(one));
  else if (file) it(`${id} is asserted in ${file}${rest}`, () => expectNamed(id, file));
  else if (excuse) it(`${id} CANNOT BE RUN YET: ${excuse.because}`, () => expectStillTrue(excuse));
  else it(`${id} is covered`, () => expect.fail(`nothing runs ${id}: ${why}`));
}

function expectNamed(id: string, file: string): void {
  const names = readFileSync(new URL(file, root), 'utf8').match(/\b[a-z]+\/[\w-]+/g) ?? [];
  expect(names.filter((name) => name === id)).not.toEqual([]);
}

/** Fails once the feature exists, because the case has to be run then. */
function expectStillTrue({ until }: Later): void {
  const folder = until === null ? undefined : new URL(until, root);
  expect(folder && existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
}

function nameOf(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}
