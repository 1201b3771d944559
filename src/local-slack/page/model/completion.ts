/** Completes commands in the composer: the slash command or mention, command words, then examples. */
import type { PageCommand, PageState } from '../protocol.ts';

export type Suggestion = {
  /** The composer's text after this suggestion is taken. */
  readonly text: string;
  readonly title: string;
  /** Shown after the title, in lighter type. */
  readonly usage: string;
  readonly summary: string;
};

export type Completion = {
  readonly suggestions: readonly Suggestion[];
  /** True if the text is not a whole command: Enter then takes the first suggestion. Otherwise Enter sends. */
  readonly isEager: boolean;
};

/** Ways to call the bot in a conversation. */
export type Callable = {
  /** For example `/workflow`; null in threads and in workspaces without the app. */
  readonly slashCommand: string | null;
  /** For example `@Workflow Bot`; null if the bot is not a member. */
  readonly mention: string | null;
  /** True if these are the bot's direct messages, where it reads every message. */
  readonly isDirect: boolean;
  readonly commands: readonly PageCommand[];
};

const nothing: Completion = { suggestions: [], isEager: false };

/** @param where kind of conversation */
export function callable(
  { app, commands, workspace }: PageState,
  where: Pick<Callable, 'isDirect'> & CallContext,
): Callable {
  const { isDirect, hasCommands, hasBot } = where;
  const mention = hasBot && !isDirect ? `@${app.name}` : null;
  return { slashCommand: hasCommands && workspace.isInstalled ? app.slashCommand : null, mention, isDirect, commands };
}

type CallContext = {
  /** False in a thread. */
  readonly hasCommands: boolean;
  readonly hasBot: boolean;
};

/** @param typed everything before the end of the composer's text */
export function complete(typed: string, { slashCommand, mention, isDirect, commands }: Callable): Completion {
  const call = [slashCommand, mention].find((each) => each !== null && startsWith(typed, `${each} `));
  if (call) return completeLine(typed.slice(call.length + 1).trimStart(), `${call} `, commands);
  if (typed.startsWith('/')) return completeCall(typed, slashCommand, commands);
  if (typed.startsWith('@')) return completeCall(typed, mention, commands);
  if (!isDirect || typed.trim() === '') return nothing;
  // Ordinary words: Enter always sends them.
  return { ...completeLine(typed, '', commands), isEager: false };
}

function completeCall(typed: string, call: string | null, commands: readonly PageCommand[]): Completion {
  if (call === null || !startsWith(call, typed)) return nothing;
  const summary = commands.map(({ name }) => name).join(', ');
  const suggestion = { text: `${call} `, title: call, usage: '[command]', summary };
  return { suggestions: [suggestion], isEager: typed.length < call.length };
}

/** @param rest the text after the call @param call ends with a space; empty in direct messages */
function completeLine(rest: string, call: string, commands: readonly PageCommand[]): Completion {
  const command = commands.find(({ name }) => startsWith(rest, `${name} `));
  return command ? completeExample(rest, call, command) : completeWord(rest, call, commands);
}

function completeWord(rest: string, call: string, commands: readonly PageCommand[]): Completion {
  const word = rest.toLowerCase();
  const found = commands.filter(({ name }) => name.startsWith(word));
  const suggestions = found.map(({ name, usage, summary }) => ({
    text: `${call}${name}${usage === '' ? '' : ' '}`,
    title: `${call}${name}`,
    usage,
    summary,
  }));
  const isWhole = word === '' || found.some(({ name }) => name === word);
  return { suggestions, isEager: !isWhole };
}

function completeExample(rest: string, call: string, { examples, usage, summary }: PageCommand): Completion {
  const typed = `${call}${rest}`.toLowerCase();
  const suggestions = examples
    .map((example) => `${call}${example.replace(/^\/\S+\s+/, '')}`)
    .filter((line) => startsWith(line, typed) && line.toLowerCase() !== typed)
    .map((line) => ({ text: line, title: line, usage: '', summary: usage === '' ? summary : `Example of ${usage}` }));
  return { suggestions, isEager: false };
}

function startsWith(text: string, beginning: string): boolean {
  return text.toLowerCase().startsWith(beginning.toLowerCase());
}
