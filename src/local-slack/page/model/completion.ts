/** Completes commands in the composer: the slash command or mention, command words, then examples. */
import type { PageCommand, PageState } from '../protocol.ts';

export type Suggestion = {
  /** What the composer holds once this one is taken. */
  readonly text: string;
  readonly title: string;
  /** What follows the title, in lighter type. */
  readonly usage: string;
  readonly summary: string;
};

export type Completion = {
  readonly suggestions: readonly Suggestion[];
  /** Enter takes the first one: what is typed is no whole command yet. Otherwise Enter sends. */
  readonly isEager: boolean;
};

/** How the bot is called where one types. */
export type Callable = {
  /** Such as `/workflow`; null where it does not work: in threads, and where the app is not installed. */
  readonly slashCommand: string | null;
  /** Such as `@Workflow Bot`; null where the bot is not a member and gets no mentions. */
  readonly mention: string | null;
  /** Every message is for the bot: its direct messages. */
  readonly isDirect: boolean;
  readonly commands: readonly PageCommand[];
};

const nothing: Completion = { suggestions: [], isEager: false };

/** @param where how the bot is called there */
export function callable(
  { app, commands, workspace }: PageState,
  where: Pick<Callable, 'isDirect'> & CallContext,
): Callable {
  const { isDirect, isThread, hasBot } = where;
  const mention = hasBot && !isDirect ? `@${app.name}` : null;
  return { slashCommand: isThread || !workspace.isInstalled ? null : app.slashCommand, mention, isDirect, commands };
}

type CallContext = { readonly isThread: boolean; readonly hasBot: boolean };

/** @param typed everything before the end of the composer's text */
export function complete(typed: string, { slashCommand, mention, isDirect, commands }: Callable): Completion {
  const call = [slashCommand, mention].find((each) => each !== null && startsWith(typed, `${each} `));
  if (call) return completeLine(typed.slice(call.length + 1).trimStart(), `${call} `, commands);
  if (typed.startsWith('/')) return completeCall(typed, slashCommand, commands);
  if (typed.startsWith('@')) return completeCall(typed, mention, commands);
  if (!isDirect || typed.trim() === '') return nothing;
  // Words between people are words: Enter always sends them.
  return { ...completeLine(typed, '', commands), isEager: false };
}

function completeCall(typed: string, call: string | null, commands: readonly PageCommand[]): Completion {
  if (call === null || !startsWith(call, typed)) return nothing;
  const summary = commands.map(({ name }) => name).join(', ');
  const suggestion = { text: `${call} `, title: call, usage: '[command]', summary };
  return { suggestions: [suggestion], isEager: typed.length < call.length };
}

/** @param rest what follows the call @param call with its space; empty where there is none to type */
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
