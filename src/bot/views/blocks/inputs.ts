/** The inputs of a form: each block holds one, and its value is submitted under the block's id. */
import type { Checkboxes, InputBlock, PlainTextInput, StaticSelect } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import { outsideLine } from '../format/outside-text.ts';
import { plainTextElement } from './modal.ts';

export type Input = {
  /** By which its value is submitted, and its error is shown. */
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly isOptional?: boolean;
};

/** The one element of an input has this action id, unless the input is to begin empty again. */
export const valueAction = 'value';

function actionId(round: number | undefined): string {
  return round === undefined ? valueAction : `${valueAction}:${round}`;
}

export type TextInput = Input & {
  readonly placeholder?: string;
  /** Never a secret: it is part of the block. */
  readonly initial?: string;
  readonly lengthMax?: number;
  readonly hasFocus?: boolean;
  /** Anything new: what was typed into the input of the same id before is not there any more. */
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

export type SelectInput = Input & {
  /** From 1 to 100. */
  readonly choices: readonly Choice[];
  /** The value of one of them. */
  readonly initial?: string;
  /** Anything new: what was chosen in the input of the same id before is not there any more. */
  readonly round?: number | undefined;
};

/** A menu from which one is chosen. */
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

export type CheckboxesInput = Input & {
  /** From 1 to 10. */
  readonly choices: readonly Choice[];
  /** The values that are ticked to begin with. */
  readonly initial?: readonly string[];
};

/** Boxes to tick, any number of them. */
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

/** Any element that Slack lets stand in an input. */
export function inputBlock({ id, label, hint, isOptional }: Input, element: InputBlock['element']): InputBlock {
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
