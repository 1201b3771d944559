/** Completes commands in the composer: the slash command or mention, a command's name, then its examples. */
import type { PageCommand, PageState } from '../protocol.ts';

export type Suggestion = {
  /** The composer's text after this suggestion is taken. */
  readonly text: string;
  readonly summary: string;
};

/** Ways to call the bot in a conversation. */
export type Callable = {
  /** `/workflow`, `@Workflow Bot`, or empty in direct messages with the bot, which reads all of them. */
  readonly calls: readonly string[];
  readonly commands: readonly PageCommand[];
};

type Conversation = {
  readonly isDirect: boolean;
  /** False in a thread and for people of another company. */
  readonly hasCommands: boolean;
  readonly hasBot: boolean;
};

export function callable({ app, commands, workspace }: PageState, where: Conversation): Callable {
  const slash = where.hasCommands && workspace.isInstalled ? [app.slashCommand] : [];
  const mention = where.hasBot ? [where.isDirect ? '' : `@${app.name}`] : [];
  return { calls: [...slash, ...mention], commands };
}

/** @param typed the composer's text @returns the next part of what can be typed */
export function complete(typed: string, { calls, commands }: Callable): readonly Suggestion[] {
  if (typed.trim() === '') return [];
  const call = calls.find((each) => startsWith(typed, each === '' ? '' : `${each} `));
  if (call === undefined) {
    const summary = commands.map(({ name }) => name).join(', ');
    return calls.filter((each) => startsWith(each, typed)).map((each) => ({ text: `${each} `, summary }));
  }
  const before = call === '' ? '' : `${call} `;
  const rest = typed.slice(before.length);
  const command = commands.find(({ name }) => startsWith(rest, `${name} `));
  const lines = command
    ? command.examples.map((line) => ({ text: line.replace(/^\/\S+\s+/, ''), summary: command.usage }))
    : commands.map(({ name, usage, summary }) => ({ text: usage === '' ? name : `${name} `, summary }));
  return lines
    .filter(({ text }) => startsWith(text, rest) && text.length > rest.length)
    .map(({ text, summary }) => ({ text: before + text, summary }));
}

function startsWith(text: string, beginning: string): boolean {
  return text.toLowerCase().startsWith(beginning.toLowerCase());
}
