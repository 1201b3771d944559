/** Messages for a command without an answer: what happened, and the next step. */
import type { KnownBlock } from '@slack/types';
import type { AppError } from '../../../shared/errors.ts';
import { actions, context } from '../blocks/blocks.ts';
import { commandButton, commandSearch, connectButton } from '../blocks/command-button.ts';
import { type Message, message } from '../blocks/message.ts';
import { bold, channel, code, emoji, paragraph, plain, rich, several, trusted, user } from '../blocks/rich-text.ts';
import { markup } from '../format/mrkdwn.ts';
import { dateToken } from '../format/time.ts';

export type Problem = {
  readonly error: AppError;
  /** Names the log line of an internal fault. */
  readonly reference: string | null;
  /** The line to run again; null if a retry cannot help. */
  readonly line: string | null;
};

const sentenceUnitsMax = 600;

export function problemMessage({ error, reference, line }: Problem): Message {
  const hint = error.hint === undefined ? [] : [paragraph([plain(error.hint, sentenceUnitsMax)])];
  const small = [
    ...(error.since === undefined
      ? []
      : [markup`${error.code === 'unauthorized' ? 'Refused' : 'Failing'} since ${dateToken(error.since)}`]),
    ...(reference === null ? [] : [markup`Reference ${reference}`]),
  ];
  const buttons = [
    ...(error.code === 'unauthorized' ? [connectButton()] : []),
    ...(line === null ? [] : [commandButton({ label: 'Try again', line, mode: 'refresh' })]),
  ];
  return message([
    paragraph(rich`${emoji('warning')} ${plain(error.publicMessage, sentenceUnitsMax)}`),
    ...hint,
    ...contactLines(error),
    ...(small.length > 0 ? [context(small)] : []),
    ...(buttons.length > 0 ? [actions(buttons)] : []),
  ]);
}

const namedMax = 10;

/** People to ask and channels to try. */
function contactLines({ userIds, channelIds }: AppError): readonly KnownBlock[] {
  return [
    ...(userIds.length > 0 ? [paragraph(rich`Ask ${several(userIds.map(user), namedMax)}.`)] : []),
    ...(channelIds.length > 0 ? [paragraph(rich`It works in ${several(channelIds.map(channel), namedMax)}.`)] : []),
  ];
}

export type UsageProblem = {
  readonly error: AppError;
  /** The whole usage, such as `/workflow status <name> [window]`. */
  readonly usage: string;
  /** Full lines that work, with the slash command. */
  readonly examples: readonly string[];
  /** The command line for one workflow, if only the workflow is missing; else null. */
  readonly lineFor: ((uuid: string) => string) | null;
};

export function usageMessage({ error, usage, examples, lineFor }: UsageProblem): Message {
  const hint = error.hint === undefined ? [] : rich` ${plain(error.hint, sentenceUnitsMax)}`;
  const samples = examples.flatMap((example, index) => (index === 0 ? [code(example)] : rich` or ${code(example)}`));
  const search = lineFor === null ? [] : commandSearch({ placeholder: 'Choose a workflow', mode: 'replace', lineFor });
  return message([
    paragraph(rich`${emoji('information_source')} ${plain(error.publicMessage, sentenceUnitsMax)}${hint}`),
    paragraph(rich`${bold('Usage')} ${code(usage)}\n${bold('Example')} ${samples}`),
    ...(search.length === 0 ? [] : [actions([...search])]),
  ]);
}

export type UnknownWord = {
  /** Null if it must not be repeated. */
  readonly word: string | null;
  /** The nearest commands, nearest first, with a line that works for each. */
  readonly nearest: readonly { readonly name: string; readonly summary: string; readonly line: string }[];
  /** Every command's name. */
  readonly known: readonly string[];
  /** A line that works, without the slash command. */
  readonly example: string;
  readonly slashCommand: string;
};

const words = new Intl.ListFormat('en');

export function unknownWordMessage({ word, nearest, known, example, slashCommand }: UnknownWord): Message {
  const buttons = nearest.map(({ line, name }) =>
    commandButton({ label: `${slashCommand} ${line}`, line, mode: 'open', accessibilityLabel: `Run ${name}` }),
  );
  const named = word === null ? rich`this command` : rich`the command “${plain(word)}”`;
  const isHelpNear = nearest.some(({ line }) => line === 'help');
  const help = isHelpNear ? [] : [commandButton({ label: 'Show all commands', line: 'help', mode: 'open' })];
  const suggestion = nearest[0] ? rich` Did you mean ${bold(nearest[0].name)} (${trusted(nearest[0].summary)})?` : [];
  return message([
    paragraph(rich`${emoji('information_source')} I do not know ${named}.${suggestion}`),
    paragraph(rich`I know ${trusted(words.format(known))}, for example ${code(`${slashCommand} ${example}`)}.`),
    actions([...buttons, ...help]),
  ]);
}

/** @param waitMs until the next attempt */
export function serviceBusyMessage(waitMs: number): Message {
  const seconds = trusted(String(Math.max(1, Math.ceil(waitMs / 1000))));
  return message([
    paragraph(rich`${emoji('hourglass_flowing_sand')} The query service is busy; trying again in ${seconds} s.`),
  ]);
}

/** @param line the command line that sends them to the person's direct messages */
export function logsRestrictedMessage(line: string): Message {
  return message([
    paragraph(rich`${bold('Logs')} are not shown in this channel. The button sends them to you in a direct message.`),
    actions([commandButton({ label: 'Send me the logs', line, mode: 'open' })]),
  ]);
}
