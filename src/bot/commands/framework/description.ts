/** Reads a command's description: which words it takes, who it is for, and which command is nearest to a mistyped word. */
import type { Need } from '../../domain/role.ts';
import { editDistance } from '../../insight/name-match.ts';
import type { AnyCommand } from './command.ts';

type Described = { readonly usage: string; readonly needs?: Need };

/** @returns whether the command takes a workflow, by its name or as the workflow of an execution */
export function takesWorkflow({ usage }: Described): boolean {
  return /^[<[][^>\]]*\b(?:name|workflow)\b/.test(usage);
}

/** @returns whether the command works without words */
export function worksAlone({ usage }: Described): boolean {
  return !usage.startsWith('<');
}

/** @returns the role it is for, to follow its summary; empty if everybody may run it */
export function forWhom({ needs = 'reader' }: Pick<Described, 'needs'>): string {
  return needs === 'reader' ? '' : ` (for ${needs}s)`;
}

const suggestionsMax = 3;
/** Largest edit distance of a suggestion. */
const slipsMax = 3;

/** @returns at most three suggestions, nearest first, each with a working command line */
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
