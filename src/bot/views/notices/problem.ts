/** Messages for a command without an answer: what happened, and the next step. */
import type { KnownBlock } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import type { AppError, HelpfulCommand } from '../../../shared/errors.ts';
import { actions, context } from '../blocks/blocks.ts';
import { commandButton, commandSearch, connectButton } from '../blocks/command-button.ts';
import { type Message, message } from '../blocks/message.ts';
import {
  bold,
  bulleted,
  channel,
  code,
  emoji,
  paragraph,
  plain,
  rich,
  several,
  trusted,
  user,
  type Words,
} from '../blocks/rich-text.ts';
import { markup } from '../format/mrkdwn.ts';
import { dateToken } from '../format/time.ts';

export type Problem = {
  readonly error: AppError;
  /** The admins of the bot, for an error with which they can help. */
  readonly adminIds?: readonly string[];
  /** Includes the leading slash; without it, no command is shown. */
  readonly slashCommand?: string;
  /** Names the log line of an internal fault. */
  readonly reference: string | null;
  /** The line to run again; null if a retry cannot help. */
  readonly line: string | null;
};

const sentenceUnitsMax = 600;

export function problemMessage({ error, adminIds = [], slashCommand, reference, line }: Problem): Message {
  const next = nextWords(error, slashCommand);
  const small = [
    ...(error.since === undefined
      ? []
      : [markup`${error.code === 'unauthorized' ? 'Refused' : 'Failing'} since ${dateToken(error.since)}`]),
    ...(reference === null ? [] : [markup`Reference ${reference}`]),
  ];
  const buttons = [
    ...(error.code === 'unauthorized' ? [connectButton()] : []),
    ...(line === null ? [] : [commandButton({ label: 'Try again', line, mode: 'replace' })]),
  ];
  return message([
    paragraph(rich`${emoji(problemEmoji(error))} ${plain(error.publicMessage, sentenceUnitsMax)}`),
    ...(next.length === 0 ? [] : [paragraph(next)]),
    ...adminLine(adminIds),
    ...(error.channelIds.length > 0
      ? [paragraph(rich`Type the command in ${several(error.channelIds.map(channel), namedMax)}.`)]
      : []),
    ...(small.length > 0 ? [context(small)] : []),
    ...(buttons.length > 0 ? [actions(buttons)] : []),
  ]);
}

/** One icon for what was not found, wherever it was looked for. */
const notFoundEmoji = 'mag';

function problemEmoji({ code }: AppError): string {
  if (code === 'usage') return 'information_source';
  return code === 'not_found' ? notFoundEmoji : 'warning';
}

/** The next step: the hint, and a command to copy. */
function nextWords({ hint, command }: AppError, slashCommand: string | undefined): Words {
  const words = hint === undefined ? [] : rich`${plain(hint, sentenceUnitsMax)}`;
  if (command === undefined || slashCommand === undefined) return words;
  const waysOf = ({ line, purpose }: HelpfulCommand) => rich`${code(`${slashCommand} ${line}`)} to ${trusted(purpose)}`;
  const other = command.or === undefined ? [] : rich`, or ${waysOf(command.or)}`;
  const typed = rich`Type ${waysOf(command)}${other}.`;
  return words.length === 0 ? typed : rich`${words} ${typed}`;
}

const namedMax = 3;

/** @param adminIds those whom the bot knows; without any, the sentence before names Slack's */
export function adminLine(adminIds: readonly string[]): readonly KnownBlock[] {
  return adminIds.length === 0 ? [] : [paragraph(rich`Bot admins: ${several(adminIds.map(user), namedMax)}.`)];
}

export type UsageProblem = {
  readonly error: AppError;
  /** Includes the leading slash. */
  readonly slashCommand: string;
  /** The whole usage, such as `/workflow status <name> [window]`. */
  readonly usage: string;
  /** Full lines that work, with the slash command. */
  readonly examples: readonly string[];
  /** The command line for one workflow, if only the workflow is missing; else null. */
  readonly lineFor: ((uuid: string) => string) | null;
};

const examplesMax = 3;

export function usageMessage({ error, slashCommand, usage, examples, lineFor }: UsageProblem): Message {
  const next = nextWords(error, slashCommand);
  const samples = examples
    .slice(0, examplesMax)
    .flatMap((example, index) => (index === 0 ? [code(example)] : rich` or ${code(example)}`));
  const search = lineFor === null ? [] : commandSearch({ placeholder: 'Choose a workflow', mode: 'replace', lineFor });
  return message([
    paragraph(
      rich`${emoji(problemEmoji(error))} ${plain(error.publicMessage, sentenceUnitsMax)}${next.length === 0 ? [] : rich` ${next}`}`,
    ),
    paragraph(rich`${bold('Usage')} ${code(usage)}\n${bold('Example')} ${samples}`),
    ...(search.length === 0 ? [] : [actions([...search])]),
  ]);
}

/** A command or a workflow that may have been meant. */
type Suggestion = {
  readonly name: string;
  /** Null for a workflow. */
  readonly summary: string | null;
  /** The command line that it stands for. */
  readonly line: string;
};

export type UnknownWord = {
  /** Null if it must not be repeated. */
  readonly word: string | null;
  /** Commands before workflows, nearest first. */
  readonly suggestions: readonly Suggestion[];
  /** The reason why workflows could not be searched for the word; null if they were searched. */
  readonly unsearched: AppError | null;
  readonly adminIds: readonly string[];
  readonly slashCommand: string;
};

export function unknownWordMessage(unknown: UnknownWord): Message {
  const { word, suggestions, unsearched, adminIds, slashCommand } = unknown;
  const named = word === null ? rich` by this name` : rich` “${plain(word)}”`;
  const what = unsearched === null ? rich`There is no command or workflow` : rich`There is no command`;
  const heading = rich`${emoji(notFoundEmoji)} ${what}${named}.`;
  const buttons = suggestions
    .filter(({ line }) => line.length <= limits.button.valueUnitsMax)
    .map((suggestion) => suggestionButton(suggestion, slashCommand));
  const isHelpNear = suggestions.some(({ line }) => line === 'help');
  const help = isHelpNear ? [] : [commandButton({ label: 'All commands', line: 'help', mode: 'open' })];
  return message([
    suggestions.length === 0
      ? paragraph(heading)
      : bulleted(
          rich`${heading} Did you mean:`,
          suggestions.map((suggestion) => suggestionLine(suggestion, slashCommand)),
        ),
    ...(unsearched === null ? [] : unsearchedBlocks(unsearched)),
    ...(unsearched?.isForAdmins ? adminLine(adminIds) : []),
    ...(suggestions.length === 0
      ? [
          paragraph(
            rich`${code(`${slashCommand} help`)} lists the commands, ${code(`${slashCommand} list`)} the workflows.`,
          ),
        ]
      : []),
    actions([...buttons, ...(unsearched?.code === 'unauthorized' ? [connectButton()] : []), ...help]),
  ]);
}

function suggestionLine({ name, line, summary }: Suggestion, slashCommand: string) {
  if (summary === null) return rich`the workflow ${bold(name, 100)}`;
  return rich`${code(`${slashCommand} ${line}`)} ${trusted(summary)}`;
}

function suggestionButton({ name, line, summary }: Suggestion, slashCommand: string) {
  const label = summary === null ? `Status of ${name}` : `${slashCommand} ${line}`;
  return commandButton({ label, line, mode: 'open', accessibilityLabel: summary === null ? label : `Run ${name}` });
}

function unsearchedBlocks({ publicMessage, hint }: AppError): readonly KnownBlock[] {
  const next = hint === undefined ? [] : rich` ${plain(hint, sentenceUnitsMax)}`;
  return [paragraph(rich`Workflow names could not be searched: ${plain(publicMessage, sentenceUnitsMax)}${next}`)];
}

/** @param waitMs until the next attempt */
export function serviceBusyMessage(waitMs: number): Message {
  const seconds = trusted(String(Math.max(1, Math.ceil(waitMs / 1000))));
  return message([
    paragraph(rich`${emoji('hourglass_flowing_sand')} The query service is busy; trying again in ${seconds} s.`),
  ]);
}

/** @param soFarMs how long the person has waited */
export function stillAskingMessage(soFarMs: number): Message {
  const seconds = trusted(String(Math.round(soFarMs / 1000)));
  return message([paragraph(rich`${emoji('hourglass_flowing_sand')} Still asking the query service (${seconds} s).`)]);
}

/** @param line the command line that sends them to the person's direct messages */
export function logsRestrictedMessage(line: string): Message {
  return message([
    paragraph(
      rich`The settings of this workspace do not allow ${bold('logs')} in this channel. Press the button to get them in a direct message.`,
    ),
    actions([commandButton({ label: 'Send me the logs', line, mode: 'open' })]),
  ]);
}
