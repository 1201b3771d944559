/** Words for what was meant: the execution or workflow that an answer is about, and messages for typed text that matches several or none. */
import type { ActionsBlock, Button } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import { isMisspelling, namesWithin } from '../../insight/name-match.ts';
import { actions, context } from '../blocks/blocks.ts';
import { commandButton, commandSearch, commandSelect, fitsMenu } from '../blocks/command-button.ts';
import { workflowOptions } from '../blocks/inputs.ts';
import { type Message, message } from '../blocks/message.ts';
import { bold, bulleted, code, date, emoji, paragraph, plain, rich, trusted, type Words } from '../blocks/rich-text.ts';
import { markup } from '../format/mrkdwn.ts';
import { count } from '../format/number.ts';
import { outsideLine } from '../format/outside-text.ts';
import { deploymentStatusLabel, executionStatusLabel } from '../format/status-labels.ts';
import { zonedTime } from '../format/time.ts';

type Choice = { readonly uuid: string; readonly name: string; readonly status: string };

type Pick = {
  readonly typed: string;
  readonly choices: readonly Choice[];
  /** The command line for one workflow. */
  readonly lineFor: (uuid: string) => string;
};

const listedMax = 10;
const buttonsMax = 20;
/** So few are pressed, not looked for in a menu. */
const fewMax = 5;

/** Several workflows match. @param pick.choices best first, at least two */
export function pickWorkflowMessage(pick: Pick): Message {
  const { typed, choices, lineFor } = pick;
  const isMenu = choices.length > fewMax && choices.every(({ uuid }) => fitsMenu({ line: lineFor(uuid) }));
  const listed = choices.slice(0, isMenu ? listedMax : buttonsMax);
  const left = choices.length - listed.length;
  const rest = left > 0 ? [rich`and ${left} more`] : [];
  return message([
    bulleted(rich`${emoji('mag')} “${plain(typed)}” may be one of ${choices.length} workflows. Which one?`, [
      ...listed.map(nameLine),
      ...rest,
    ]),
    actions(isMenu ? menuOf(pick) : buttonsOf({ ...pick, choices: listed })),
  ]);
}

/** A name is there, and other words that may change what is meant. @param lineFor of the choice @param unread the sentence about these words */
export function confirmWorkflowMessage(pick: Pick, unread: Words): Message {
  const { choices, lineFor } = pick;
  return message([
    bulleted(rich`${emoji('mag')} ${unread} Do you mean this one?`, choices.map(nameLine)),
    actions([...buttonsOf(pick), ...commandSearch({ placeholder: 'Find it by name…', mode: 'replace', lineFor })]),
  ]);
}

/** Nothing matches. @param pick.choices the nearest names, at most three @param note an additional sentence */
export function noWorkflowMessage(pick: Pick, note: Words = []): Message {
  const { typed, choices, lineFor } = pick;
  const listAll = commandButton({ label: 'List all workflows', line: 'list', mode: 'replace' });
  const heading = rich`${emoji('mag')} No workflow is called “${plain(typed)}”.`;
  const isAlike = choices.some(({ name }) => isMisspelling(typed, name)) || namesWithin(typed, choices).length > 0;
  const isOne = choices.length === 1;
  const some = isOne ? 'A workflow of yours' : 'Some of your workflows';
  const named = isAlike ? `Closest ${isOne ? 'name' : 'names'}:` : `No name is similar. ${some}:`;
  return message([
    choices.length === 0 ? paragraph(heading) : bulleted(rich`${heading} ${trusted(named)}`, choices.map(nameLine)),
    ...(note.length === 0 ? [] : [paragraph(note)]),
    actions([
      ...buttonsOf(pick),
      ...commandSearch({ placeholder: 'Find it by name…', mode: 'replace', lineFor }),
      listAll,
    ]),
  ]);
}

function nameLine({ name, status }: Choice): Words {
  return rich`${plain(name)} (${plain(deploymentStatusLabel(status))})`;
}

/** More workflows than a menu accepts are found by typing. */
function menuOf({ choices, lineFor }: Pick): ActionsBlock['elements'] {
  const menu = { placeholder: 'Choose a workflow', mode: 'replace' } as const;
  const isWhole = choices.length <= limits.select.optionsMax;
  const search = isWhole ? [] : commandSearch({ ...menu, lineFor });
  return search.length > 0 ? [...search] : [commandSelect({ ...menu, options: workflowOptions(choices, lineFor) })];
}

function buttonsOf({ choices, lineFor }: Pick): Button[] {
  return choices.map(({ uuid, name }) => commandButton({ label: name, line: lineFor(uuid), mode: 'replace' }));
}

/** @param typed words that are not the whole name */
export function closestMatchWords(name: string, typed: string): Words {
  return rich`Showing ${bold(name)}, the closest match for “${plain(typed)}”.`;
}

type LeftOut = {
  /** A second window, or the window of an answer that takes none; empty if there is none. */
  readonly unusedWindow: string;
  /** Words that mean nothing; empty if there are none. */
  readonly unread: string;
};

/** @param used label of the window that is used; null for an answer that takes none @returns empty if no words were left out */
export function leftOutWords({ unusedWindow, unread }: LeftOut, used: string | null): Words {
  const whyWindow = used === null ? 'this answer takes no window' : `an answer has one window, here “${used}”`;
  const whyWords = used === null ? 'not part of a name' : 'neither a window nor part of a name';
  const ofWindow = unusedWindow === '' ? [] : rich`“${plain(unusedWindow)}” was left out: ${plain(whyWindow)}.`;
  const ofWords = unread === '' ? [] : rich`“${plain(unread)}” was left out: it is ${trusted(whyWords)}.`;
  return ofWindow.length > 0 && ofWords.length > 0 ? rich`${ofWindow} ${ofWords}` : [...ofWindow, ...ofWords];
}

/** The run, deployment or workflow that has a typed id, if the command expects another of them. */
export type IdOwner = {
  readonly kind: 'run' | 'deployment' | 'workflow';
  readonly uuid: string;
  readonly workflow: { readonly uuid: string; readonly name: string };
};

/** @returns such as `“415860ba” is a deployment of payments.` */
export function otherIdWords(typed: string, { kind, workflow }: IdOwner): Words {
  const what = kind === 'workflow' ? 'the workflow' : `a ${kind} of`;
  return rich`“${plain(typed, 80)}” is ${trusted(what)} ${bold(workflow.name)}.`;
}

type PickExecution = {
  readonly typed: string;
  /** Newest first, at least two. */
  readonly executions: readonly {
    readonly uuid: string;
    readonly workflowName: string;
    readonly status: string;
    readonly startedAt: string;
  }[];
  /** The command line for one execution. */
  readonly lineFor: (uuid: string) => string;
  /** The reader's time zone. */
  readonly zone: string;
};

const optionsMax = 50;

export function pickExecutionMessage({ typed, executions, lineFor, zone }: PickExecution): Message {
  const options = executions
    .map(({ uuid, workflowName, status, startedAt }) => ({
      label: `${zonedTime(Date.parse(startedAt), zone, 'second')} · ${executionStatusLabel(status)} · ${outsideLine(workflowName, 30)}`,
      line: lineFor(uuid),
    }))
    .filter(fitsMenu)
    .slice(0, optionsMax);
  const left = executions.length - options.length;
  return message([
    paragraph(rich`${emoji('mag')} The ids of ${executions.length} runs begin with “${plain(typed, 80)}”. Which one?`),
    ...(options.length === 0
      ? []
      : [actions([commandSelect({ placeholder: 'Choose a run', mode: 'replace', options })])]),
    ...(left > 0 ? [context([markup`And ${count(left)} more: type more characters of the id.`])] : []),
  ]);
}

export type ExecutionSubject = {
  readonly workflowName: string;
  readonly shortId: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
};

/** @returns such as `of payments, run 3f2a9c1b (Nov 20 at 10:15)` */
export function subjectWords({ workflowName, shortId, startedAt }: ExecutionSubject): Words {
  return rich` of ${plain(workflowName)}, run ${code(shortId)} (${date(startedAt, 'second')})`;
}

/** Begins an answer, so that it is understood alone. @param what such as `Logs` */
export function subjectLine(what: string, subject: ExecutionSubject): Words {
  return rich`${bold(what)}${subjectWords(subject)}`;
}
