/** Reads a command's description: by which words it is found, which it takes, who it is for, and which command is nearest to a mistyped word. */
import type { Need } from '../../domain/role.ts';
import { plainWord } from '../../domain/window-words.ts';
import { editDistance } from '../../insight/name-match.ts';
import { type AnyCommand, type CommandGroup, commandGroups } from './command.ts';

/** Other words for a command: the words of its buttons and shortcuts, which people type as well. */
const aliases: Readonly<Record<string, string>> = { explain: 'execution' };

/** @param word perhaps with the punctuation of a sentence @returns the name that it is an alias of; the word itself if it is none */
export function commandNameOf(word: string): string {
  const plain = plainWord(word);
  return (Object.hasOwn(aliases, plain) ? aliases[plain] : undefined) ?? plain;
}

/** @returns the other words for a command */
export function aliasesOf(name: string): readonly string[] {
  return Object.keys(aliases).filter((word) => aliases[word] === name);
}

/** @param word in lower case: a command's name or an alias of it */
export function findCommand(commands: readonly AnyCommand[], word: string): AnyCommand | undefined {
  const name = commandNameOf(word);
  return commands.find((command) => command.name === name);
}

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
export function forWhom({ needs = 'reader' }: { readonly needs?: Need }): string {
  if (needs === 'reader') return '';
  return needs === 'operator' ? ' (for bot operators and bot admins)' : ' (for bot admins)';
}

const groupTitles: Readonly<Record<CommandGroup, string>> = {
  look: 'Look',
  investigate: 'Investigate',
  digests: 'Digests',
  setup: 'Set up',
};

/** Groups the commands by section of the help: the most used first, `export` and `cancel` last. */
export function groupCommands<Command extends { readonly name: string; readonly group: CommandGroup }>(
  commands: readonly Command[],
): readonly { readonly title: string; readonly commands: readonly Command[] }[] {
  return commandGroups.map((group) => {
    const members = commands.filter((command) => command.group === group);
    return { title: groupTitles[group], commands: members.toSorted((one, other) => rankOf(one) - rankOf(other)) };
  });
}

const frequent = ['status', 'list', 'failures', 'digest', 'connect'];

const last = ['export', 'cancel'];

function rankOf({ name }: { readonly name: string }): number {
  return frequent.includes(name) ? frequent.indexOf(name) : frequent.length + 1 + last.indexOf(name);
}

const suggestionsMax = 3;
/** A command with this many more letters at its end is a misspelling of the command. */
const surplusMax = 3;

/** @returns at most three commands that the word may be a misspelling or the beginning of, nearest first */
export function nearestCommands(word: string, commands: readonly AnyCommand[]): readonly AnyCommand[] {
  const slipsMax = Math.max(1, Math.floor(word.length / 3));
  return commands
    .map((command) => ({
      command,
      distance: Math.min(...[command.name, ...aliasesOf(command.name)].map((one) => distanceToWord(word, one))),
    }))
    .filter(({ distance }) => distance <= slipsMax)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, suggestionsMax)
    .map(({ command }) => command);
}

function distanceToWord(word: string, name: string): number {
  const isPart = name.startsWith(word) || (word.startsWith(name) && word.length - name.length <= surplusMax);
  return isPart ? 0 : editDistance(word, name);
}
