/** The memory flags of the scripts in package.json, for tests and benchmarks. */
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

export const memoryFlags: readonly string[] = memoryFlagsOf(scripts.start.split(' '));

export function memoryFlagsOf(command: readonly string[]): readonly string[] {
  return command.filter((word) => /^--(?:max-semi-space-size|heap-growing-percent)=/.test(word));
}
