/** Plans within Slack's rules, and the list with the same facts. */
import type { KnownBlock } from '@slack/types';
import { describe, expect, it } from 'vitest';
import { blockText } from '../../../../src/bot/views/blocks/message.ts';
import { plan, planAsList, type Task } from '../../../../src/bot/views/blocks/plan.ts';
import { bold, rich } from '../../../../src/bot/views/blocks/rich-text.ts';
import { validateBlocks } from '../../../../src/shared/block-kit/validate.ts';

const tasks: readonly Task[] = [
  { number: 1, title: ['http@1', 'Send'], status: 'complete', details: rich`succeeded after ${3} s` },
  { number: 2, title: ['evm:write', 'Report'], status: 'error', details: rich`failed ${bold('at once')}` },
  { number: 3, title: ['mail'], status: 'in_progress', details: rich`running` },
  { number: 4, title: [''], status: 'pending', details: rich`no end reported` },
];
const summary = '4 steps, 3 s in total';

describe('a plan', () => {
  it('is valid only in messages', () => {
    expect(validateBlocks([plan(summary, tasks)], 'message')).toEqual([]);
    for (const surface of ['modal', 'home'] as const) {
      expect(validateBlocks([plan(summary, tasks)], surface)).toMatchObject([{ pointer: '/blocks/0/type' }]);
    }
  });

  it('has the same text as the list that replaces it', () => {
    expect(blockText(plan(summary, tasks))).toBe(blockText(planAsList(plan(summary, tasks))));
  });

  it('has every title, state and detail in its text', () => {
    expect(blockText(plan(summary, tasks)).split('\n')).toEqual([
      '4 steps, 3 s in total',
      '1. :white_check_mark: http@1 Send: succeeded after 3 s',
      '2. :x: evm:write Report: failed at once',
      '3. :hourglass_flowing_sand: mail: running',
      '4. :white_circle: (empty): no end reported',
    ]);
  });

  it('keeps the numbers of its tasks if some are left out, also as a list', () => {
    const some = tasks.filter(({ number }) => number === 2 || number === 4);
    expect(plan(summary, some).tasks).toMatchObject([{ task_id: 'task-2' }, { title: '4. (empty)' }]);
    expect(blockText(plan(summary, some))).toContain('\n• Step 2: :x: evm:write Report: failed at once\n• Step 4: ');
  });

  it('cuts long texts, and masks each part of a title separately', () => {
    const [long, phrase] = [
      'x'.repeat(900),
      'mnemonic: legal winner thank year wave sausage worth useful legal winner thank yellow',
    ];
    const { tasks: cards } = plan(summary, [
      { number: 1, title: [long, phrase, phrase], status: 'error', details: rich`failed` },
    ]);
    const safe = 'mnemonic: [recovery phrase …llow]';
    expect(cards).toMatchObject([{ title: `1. ${'x'.repeat(59)}… ${safe} ${safe}` }]);
  });

  it('of another app is read as far as it is valid', () => {
    const foreign: KnownBlock = {
      type: 'plan',
      title: 'Thinking',
      tasks: [{ type: 'task_card', task_id: 'a', title: 'Looked', status: 'complete' }, { type: 'odd' }],
    };
    expect(blockText(foreign)).toBe('Thinking\n1. :white_check_mark: Looked: ');
  });
});
