/** Inputs whose choices are looked for while a person types: what is looked for stands in their action id. */
import type { InputBlock } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import { type Choice, type Input, inputBlock, optionOf } from './inputs.ts';
import { plainTextElement } from './modal.ts';

export const externalSources = ['workflows', 'zones'] as const;
export type ExternalSource = (typeof externalSources)[number];

const prefix = 'find:';
export const externalSelectActionPattern = new RegExp(`^${prefix}`);

/** @returns what a menu with this action id looks for; undefined for any other */
export function parseExternalSelectActionId(id: string): ExternalSource | undefined {
  return externalSources.find((each) => id === prefix + each);
}

export type ExternalSelectInput = Input & {
  readonly finds: ExternalSource;
  readonly placeholder: string;
  readonly initial?: Choice;
};

export function externalSelectInput({ finds, placeholder, initial, ...input }: ExternalSelectInput): InputBlock {
  return inputBlock(input, {
    type: 'external_select',
    action_id: prefix + finds,
    placeholder: plainTextElement(placeholder, limits.select.placeholderUnitsMax),
    min_query_length: 0,
    ...(initial && { initial_option: optionOf(initial) }),
  });
}

export type MultiExternalSelectInput = Omit<ExternalSelectInput, 'initial'> & {
  readonly initial: readonly Choice[];
  readonly max: number;
};

export function multiExternalSelectInput({
  finds,
  placeholder,
  initial,
  max,
  ...input
}: MultiExternalSelectInput): InputBlock {
  return inputBlock(input, {
    type: 'multi_external_select',
    action_id: prefix + finds,
    placeholder: plainTextElement(placeholder, limits.select.placeholderUnitsMax),
    min_query_length: 0,
    max_selected_items: max,
    ...(initial.length > 0 && { initial_options: initial.slice(0, max).map(optionOf) }),
  });
}
