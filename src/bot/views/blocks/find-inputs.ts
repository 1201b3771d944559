/** Inputs whose choices are looked for while a person types: what is looked for stands in their action id. */
import type { InputBlock } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import { type Choice, type Input, inputBlock, optionOf } from './inputs.ts';
import { plainWords } from './modal.ts';

export const findable = ['workflows', 'zones'] as const;
export type Findable = (typeof findable)[number];

const prefix = 'find:';
export const findActionPattern = new RegExp(`^${prefix}`);

/** @returns what a menu with this action id looks for; undefined for any other */
export function parseFindActionId(id: string): Findable | undefined {
  return findable.find((each) => id === prefix + each);
}

export type FindInput = Input & {
  readonly finds: Findable;
  readonly placeholder: string;
  readonly initial?: Choice;
};

export function findInput({ finds, placeholder, initial, ...input }: FindInput): InputBlock {
  return inputBlock(input, {
    type: 'external_select',
    action_id: prefix + finds,
    placeholder: plainWords(placeholder, limits.select.placeholderUnitsMax),
    min_query_length: 0,
    ...(initial && { initial_option: optionOf(initial) }),
  });
}

export type FindSeveralInput = Omit<FindInput, 'initial'> & {
  readonly initial: readonly Choice[];
  readonly max: number;
};

export function findSeveralInput({ finds, placeholder, initial, max, ...input }: FindSeveralInput): InputBlock {
  return inputBlock(input, {
    type: 'multi_external_select',
    action_id: prefix + finds,
    placeholder: plainWords(placeholder, limits.select.placeholderUnitsMax),
    min_query_length: 0,
    max_selected_items: max,
    ...(initial.length > 0 && { initial_options: initial.slice(0, max).map(optionOf) }),
  });
}
