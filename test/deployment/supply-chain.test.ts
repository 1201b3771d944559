/** The software bill of materials, and the audit of known vulnerabilities. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newFolder } from '../support/databases/engines.ts';
import { audits, expectAudit } from './audits.ts';

const root = new URL('../../', import.meta.url).pathname;
const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));

type Component = {
  readonly purl: string;
  readonly licenses: readonly unknown[];
  /** Missing for a package of the project itself. */
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
};
type Locked = {
  readonly bin?: Readonly<Record<string, string>>;
  readonly version: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly integrity?: string;
};
const locked: Readonly<Record<string, Locked>> = read('package-lock.json').packages;

it('the bill of materials has every runtime package, with its hash and licence, and no development tool', () => {
  const file = join(newFolder(), 'sbom.json');
  execFileSync(process.execPath, ['scripts/sbom.ts', file], { cwd: root });
  const sbom = JSON.parse(readFileSync(file, 'utf8'));
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 });
  expect(sbom.metadata.component).toMatchObject({ name: 'workflow-bot', type: 'application' });
  const running = Object.entries(locked).filter(
    ([path, { dev, link }]) => path !== '' && !dev && !link && isInstalled(path),
  );
  const wanted = running.map(([path, { version, integrity = '' }]) => {
    const name = (path.split(/node_modules\/|^scripts\//).at(-1) ?? '').replace('@', '%40');
    return [`pkg:npm/${name}@${version}`, Buffer.from(integrity.split('-')[1] ?? '', 'base64').toString('hex')];
  });
  const components: readonly Component[] = sbom.components;
  expect(new Set(components.map(({ purl, hashes }) => `${purl} ${hashes?.[0]?.content ?? ''}`))).toEqual(
    new Set(wanted.map((one) => one.join(' '))),
  );
  expect(components.filter(({ licenses }) => licenses.length === 0)).toEqual([]);
  for (const name of Object.keys(read('package.json').dependencies)) {
    expect(components.map(({ purl }) => purl)).toContainEqual(expect.stringContaining(name.replace('@', '%40')));
  }
});

/** Node 24 and newer do not install the package with Node, whose folder is always there. */
function isInstalled(path: string): boolean {
  return existsSync(join(root, path.replace(/^scripts\//, 'node_modules/')));
}

// npm 10 and older links no command that two packages provide, although it installs only one of them.
it('on an older Node, one package alone provides the node of node_modules/.bin', () => {
  const top = Object.entries(locked).filter(
    ([path]) => !/node_modules\/.*node_modules\/|^scripts\/.*node_modules\//.test(path),
  );
  expect(top.filter(([, { bin }]) => bin?.['node']).map(([path]) => path)).toEqual(['scripts/node-24']);
  expect(read('scripts/node-24/package.json').engines).toEqual({ node: '<24.0.0' });
});

it.each(audits)('the audit, if %s', async (_, answer, code, output) => expectAudit(answer, code, output));

it('an audit that npm cannot run fails', async () => {
  const audit = spawn(process.execPath, [join(root, 'scripts/audit.ts')], { cwd: newFolder() });
  expect(await once(audit, 'close')).toEqual([1, null]);
});
