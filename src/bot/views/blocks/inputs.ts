/** Inputs of a form. Each block has one, and its value is submitted under the block's id. */
import type { Checkboxes, InputBlock, PlainTextInput, RadioButtons, StaticSelect } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import type { Markup } from '../format/mrkdwn.ts';
import { outsideLine } from '../format/outside-text.ts';
import { deploymentStatusLabel } from '../format/status-labels.ts';
import { zoneName } from '../format/time.ts';
import { type CommandOption, fitsMenu } from './command-button.ts';
import { plainTextElement } from './modal.ts';

type Input = {
  /** Identifies the submitted value and its error. */
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly isOptional?: boolean;
};

/** Action id of an input's element, unless the input has to start empty again. */
const valueAction = 'value';

function actionId(round: number | undefined): string {
  return round === undefined ? valueAction : `${valueAction}:${round}`;
}

type TextInput = Input & {
  readonly placeholder?: string;
  /** Never a secret: it is part of the block. */
  readonly initial?: string;
  readonly lengthMax?: number;
  readonly hasFocus?: boolean;
  /** A new value clears the text typed into the input of the same id before. */
  readonly round?: number;
};

export function textInput({ initial, placeholder, lengthMax, hasFocus, round, ...input }: TextInput): InputBlock {
  const element: PlainTextInput = {
    type: 'plain_text_input',
    action_id: actionId(round),
    max_length: lengthMax ?? limits.textInput.lengthMax,
    ...(initial !== undefined && { initial_value: initial }),
    ...(placeholder !== undefined && { placeholder: plainTextElement(placeholder, limits.select.placeholderUnitsMax) }),
    ...(hasFocus && { focus_on_load: true }),
  };
  return inputBlock(input, element);
}

export type Choice = { readonly label: string; readonly value: string; readonly description?: string };

type SelectInput = Input & {
  /** From 1 to 100. */
  readonly choices: readonly Choice[];
  /** The value of one of them. */
  readonly initial?: string;
  /** A new value clears the choice in the input of the same id before. */
  readonly round?: number | undefined;
};

/** A menu with one choice. */
export function selectInput({ choices, initial, round, ...input }: SelectInput): InputBlock {
  const offered = choices.slice(0, limits.select.optionsMax);
  const chosen = offered.find(({ value }) => value === initial);
  const element: StaticSelect = {
    type: 'static_select',
    action_id: actionId(round),
    options: offered.map(optionOf),
    ...(chosen && { initial_option: optionOf(chosen) }),
  };
  return inputBlock(input, element);
}

type CheckboxesInput = Input & { readonly choices: readonly Choice[]; readonly initial?: readonly string[] };

/** Checkboxes, from 1 to 10. @param initial the values ticked at first */
export function checkboxesInput({ choices, initial = [], ...input }: CheckboxesInput): InputBlock {
  const offered = choices.slice(0, limits.choice.optionsMax);
  const ticked = offered.filter(({ value }) => initial.includes(value));
  const element: Checkboxes = {
    type: 'checkboxes',
    action_id: valueAction,
    options: offered.map(optionOf),
    ...(ticked.length > 0 && { initial_options: ticked.map(optionOf) }),
  };
  return inputBlock(input, element);
}

/** An input block with any element that Slack accepts. */
function inputBlock({ id, label, hint, isOptional }: Input, element: InputBlock['element']): InputBlock {
  return {
    type: 'input',
    block_id: id,
    label: plainTextElement(label, limits.input.labelUnitsMax),
    element,
    ...(hint !== undefined && { hint: plainTextElement(hint, limits.input.hintUnitsMax) }),
    ...(isOptional && { optional: true }),
  };
}

export function optionOf({ label, value, description }: Choice) {
  const { textUnitsMax, descriptionUnitsMax } = limits.option;
  return {
    text: plainTextElement(outsideLine(label, textUnitsMax), textUnitsMax),
    value,
    ...(description !== undefined && {
      description: plainTextElement(outsideLine(description, descriptionUnitsMax), descriptionUnitsMax),
    }),
  };
}

/** @param initial Slack's ids */
type IdsInput = Input & { readonly initial: readonly string[]; readonly max: number };

export function usersInput({ initial, max, ...input }: IdsInput): InputBlock {
  return inputBlock(input, {
    type: 'multi_users_select',
    action_id: valueAction,
    max_selected_items: max,
    ...(initial.length > 0 && { initial_users: [...initial] }),
  });
}

/** Public channels, and private channels of the person who chooses. */
export function channelsInput({ initial, max, ...input }: IdsInput): InputBlock {
  return inputBlock(input, {
    type: 'multi_conversations_select',
    action_id: valueAction,
    max_selected_items: max,
    filter: { include: ['public', 'private'], exclude_bot_users: true },
    ...(initial.length > 0 && { initial_conversations: [...initial] }),
  });
}

type RadioChoice = Omit<Choice, 'label'> & { readonly label: string | Markup };
type RadioInput = Input & { readonly choices: readonly RadioChoice[]; readonly initial: string };

/** Radio buttons, from 1 to 10. Their labels may be markup, such as a channel. @param initial the value of one of them */
export function radioInput({ choices, initial, ...input }: RadioInput): InputBlock {
  const options = choices.slice(0, limits.choice.optionsMax).map(radioOption);
  const chosen = options.find(({ value }) => value === initial);
  return inputBlock(input, {
    type: 'radio_buttons',
    action_id: valueAction,
    options,
    ...(chosen && { initial_option: chosen }),
  });
}

function radioOption({ label, ...choice }: RadioChoice): RadioButtons['options'][number] {
  if (typeof label === 'string') return optionOf({ label, ...choice });
  return { ...optionOf({ label: '', ...choice }), text: { type: 'mrkdwn', text: label.mrkdwn, verbatim: true } };
}

/** One conversation to post in; of direct messages only those with the bot. @param initial Slack's id */
export function channelInput({ initial, ...input }: Input & { readonly initial: string }): InputBlock {
  return inputBlock(input, {
    type: 'conversations_select',
    action_id: valueAction,
    filter: { include: ['public', 'private', 'im'] },
    initial_conversation: initial,
  });
}

/** A time of day. @param initial such as `09:00` */
export function timeInput({ initial, ...input }: Input & { readonly initial: string }): InputBlock {
  return inputBlock(input, { type: 'timepicker', action_id: valueAction, initial_time: initial });
}

const externalSources = ['workflows', 'zones'] as const;
export type ExternalSource = (typeof externalSources)[number];

const prefix = 'find:';
export const externalSelectActionPattern = new RegExp(`^${prefix}`);

/** @returns the source of a menu with this action id; undefined for another */
export function parseExternalSelectActionId(id: string): ExternalSource | undefined {
  return externalSources.find((each) => id === prefix + each);
}

type ExternalSelectInput = Input & { readonly finds: ExternalSource; readonly placeholder: string };

/** The fields of a menu for one choice and of one for several. */
function externalSelect({ finds, placeholder }: ExternalSelectInput) {
  return {
    action_id: prefix + finds,
    placeholder: plainTextElement(placeholder, limits.select.placeholderUnitsMax),
    min_query_length: 0,
  };
}

export function externalSelectInput(input: ExternalSelectInput & { readonly initial: Choice }): InputBlock {
  const { initial } = input;
  return inputBlock(input, {
    type: 'external_select',
    ...externalSelect(input),
    initial_option: optionOf(initial),
  });
}

type MultiExternalSelectInput = ExternalSelectInput & { readonly initial: readonly Choice[]; readonly max: number };

export function multiExternalSelectInput(input: MultiExternalSelectInput): InputBlock {
  const { initial, max } = input;
  return inputBlock(input, {
    type: 'multi_external_select',
    ...externalSelect(input),
    max_selected_items: max,
    ...(initial.length > 0 && { initial_options: initial.slice(0, max).map(optionOf) }),
  });
}

type Workflow = { readonly uuid: string; readonly name: string; readonly status: string };

/** Leaves room for the status. */
const nameUnitsMax = 50;

/** @returns as many options as a menu accepts; a uuid of another format may be too long for one */
export function workflowOptions(
  choices: readonly Workflow[],
  lineFor: (uuid: string) => string,
): readonly CommandOption[] {
  return choices
    .map((choice) => ({ label: labelOf(choice), line: lineFor(choice.uuid) }))
    .filter(fitsMenu)
    .slice(0, limits.select.optionsMax);
}

/** @param labels by value */
export function choicesOf(labels: Readonly<Record<string, string>>): readonly Choice[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}

/** The choices of an input. @returns as many as a menu accepts; a uuid of another format may be too long for one */
export function workflowChoices(workflows: readonly Workflow[]): readonly Choice[] {
  return workflowOptions(workflows, (uuid) => uuid).map(({ label, line }) => ({ label, value: line }));
}

/** The only option of a menu of workflows whose names could not be read; a form does not accept it. No uuid. */
export const noNamesChoice: Choice = { label: 'No names from the query service yet: search again', value: 'no names' };

function labelOf({ name, status }: Workflow): string {
  return status === 'ACTIVE' ? name : `${outsideLine(name, nameUnitsMax)} (${deploymentStatusLabel(status)})`;
}

/** @param offset such as `UTC+01:00` */
export function zoneChoice({ zone, offset }: { readonly zone: string; readonly offset: string }): Choice {
  return { label: `${zoneName(zone)} (${offset})`, value: zone };
}
