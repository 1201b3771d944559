/** Flags of Node, for programs that tests and benchmarks start. */
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

/** As the scripts in package.json have them: the start reads compiled files from their cache. */
export const programFlags: readonly string[] = [
  ...['--import', new URL('../../../src/bin/node-version.mjs', import.meta.url).pathname],
  '--disable-warning=ExperimentalWarning',
];

/** The memory flags of the scripts in package.json. */
export const memoryFlags: readonly string[] = memoryFlagsOf(scripts.start.split(' '));

export function memoryFlagsOf(command: readonly string[]): readonly string[] {
  return command.filter((word) => /^--(?:max-semi-space-size|heap-growing-percent)=/.test(word));
}
