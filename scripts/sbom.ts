/**
 * Writes the software bill of materials (`npm run sbom`, CycloneDX): the installed runtime packages with version, licence and hash.
 * npm makes it from a lockfile of only those packages, because its `--omit=dev` also omits packages that development tools share.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Locked = { readonly dev?: boolean; readonly devDependencies?: Readonly<Record<string, string>> };
type Lockfile = { readonly packages: Readonly<Record<string, Locked>> };

const [output = 'sbom.cdx.json'] = process.argv.slice(2);
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const { devDependencies: _, ...manifest } = read('package.json');
const lockfile: Lockfile = read('package-lock.json');
const { devDependencies: __, ...root } = lockfile.packages[''] ?? {};
const installed = Object.entries(lockfile.packages).filter(
  ([path, { dev }]) => path !== '' && !dev && existsSync(path),
);

const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
try {
  // npm names the list after its folder.
  const cwd = join(folder, manifest.name);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest));
  const packages = { '': root, ...Object.fromEntries(installed) };
  writeFileSync(join(cwd, 'package-lock.json'), JSON.stringify({ ...lockfile, packages }));
  const flags = ['--package-lock-only', '--offline', '--sbom-format=cyclonedx', '--sbom-type=application'];
  writeFileSync(output, execFileSync('npm', ['sbom', ...flags], { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 }));
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`${installed.length} packages are listed in ${output}.`);
