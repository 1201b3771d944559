/** The commands a mistyped word may have meant. */
import { editDistance } from '../../insight/name-match.ts';
import type { AnyCommand } from './command.ts';

const suggestionsMax = 3;
/** A word further away than this was never this command. */
const slipsMax = 3;

/** @returns at most three, nearest first, each with a line that works; none when nothing is near */
export function nearestCommands(word: string, commands: readonly AnyCommand[]) {
  return commands
    .map((command) => ({ command, distance: distanceTo(word, command.name) }))
    .filter(({ distance }) => distance <= slipsMax)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, suggestionsMax)
    .map(({ command: { name, summary, examples } }) => ({ name, summary, line: examples[0] }));
}

function distanceTo(word: string, name: string): number {
  const isPart = name.startsWith(word) || (word.startsWith(name) && word.length - name.length <= slipsMax);
  return isPart ? 0 : editDistance(word, name);
}
