/** Names a step, and says how certain it is that the step failed. */
import type { RichTextElement } from '@slack/types';
import type { FailingStep, Step } from '../../insight/executions/timeline.ts';
import { code, rich, trusted } from '../blocks/rich-text.ts';

const certainties = { certain: 'Failed in', likely: 'Most likely failed in', possible: 'Possibly failed in' } as const;

/** @returns such as `Most likely failed in step 3, http-actions Send` */
export function failingStepText({ certainty, ...numbered }: FailingStep): readonly RichTextElement[] {
  return rich`${trusted(certainties[certainty])} ${stepText(numbered)}`;
}

/** With its number in the timeline. */
export function stepText({ index, step }: Pick<FailingStep, 'index' | 'step'>): readonly RichTextElement[] {
  return rich`step ${index + 1}, ${callText(step)}`;
}

export function callText({ capability, method }: Pick<Step, 'capability' | 'method'>): readonly RichTextElement[] {
  return method === null ? rich`${code(capability)}` : rich`${code(capability)} ${code(method)}`;
}
