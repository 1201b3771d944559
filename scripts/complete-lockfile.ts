/**
 * Completes package-lock.json after `npm install`. A registry without every platform's build of an optional package omits the missing
 * ones, and `npm ci` then refuses the lockfile. Adds them as npm would, with version and platform but without integrity, which npm
 * then takes from the registry of that machine.
 */
import { readFile, writeFile } from 'node:fs/promises';

type Entry = {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};
type Lockfile = { readonly packages: Readonly<Record<string, Entry>> };

const systems = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'aix', 'win32'];
const processors: Readonly<Record<string, string>> = {
  arm64: 'arm64',
  x64: 'x64',
  ia32: 'ia32',
  arm: 'arm',
  ppc64: 'ppc64',
  riscv64: 'riscv64',
  s390x: 's390x',
  loong64: 'loong64',
  mips64el: 'mips64el',
  wasm32: 'wasm32',
};

/** @returns the fields that npm writes for a platform's package; undefined if the name contains no platform */
function platformOf(name: string) {
  const words = name.split(/[/-]/);
  const os = systems.find((system) => words.includes(system));
  const cpu = Object.entries(processors).find(([word]) => words.includes(word))?.[1];
  if (cpu === undefined) return undefined;
  const libc = words.some((word) => word.includes('musl'))
    ? 'musl'
    : words.some((word) => /^gnu/.test(word))
      ? 'glibc'
      : undefined;
  return {
    cpu: [cpu],
    ...(os !== undefined && { os: [os] }),
    ...(os === 'linux' && libc !== undefined && { libc: [libc] }),
  };
}

const lockfile: Lockfile = JSON.parse(await readFile('package-lock.json', 'utf8'));
const missing = Object.values(lockfile.packages).flatMap(({ dev, optionalDependencies = {} }) =>
  Object.entries(optionalDependencies).flatMap(([name, version]) => {
    const platform = platformOf(name);
    const isLocked = Object.keys(lockfile.packages).some((path) => path.endsWith(`node_modules/${name}`));
    if (isLocked || !platform || !/^\d/.test(version)) return [];
    return [[`node_modules/${name}`, { version, ...platform, ...(dev && { dev }), optional: true }] as const];
  }),
);
const packages = Object.entries({ ...Object.fromEntries(missing), ...lockfile.packages });
packages.sort(([one], [other]) => one.localeCompare(other, 'en'));
await writeFile(
  'package-lock.json',
  `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(packages) }, null, 2)}\n`,
);
console.log(
  missing.length === 0 ? 'The lockfile is complete.' : `Added ${missing.length} packages of other platforms.`,
);
