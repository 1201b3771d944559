/** Steps as a plan of task cards, or as a list on surfaces without plans. */
import type { PlanBlock, RichTextBlock, TaskCardBlock } from '@slack/types';
import { outsideLine } from '../format/outside-text.ts';
import { bulleted, code, emoji, numbered, paragraph, rich, trusted, type Words } from './rich-text.ts';

export type Task = {
  /** From 1; other texts refer to the task by it, also if others are left out. */
  readonly number: number;
  /** Outside texts, shown beside each other as plain text. Each is masked by itself: together they could look like one value. */
  readonly title: readonly string[];
  readonly status: TaskCardBlock['status'];
  /** Contains the state in words too: clients fold the details and show the status as an icon. */
  readonly details: Words;
};

/** @param title trusted text; a folded plan shows nothing else @param tasks in order */
export function plan(title: string, tasks: readonly Task[]): PlanBlock {
  return { type: 'plan', title, tasks: tasks.map(card) };
}

function card({ number, title, status, details }: Task): TaskCardBlock {
  return {
    type: 'task_card',
    task_id: `task-${number}`,
    title: `${number}. ${title.map((text) => outsideLine(text, textUnitsMax)).join(' ')}`,
    status,
    details: paragraph(details),
  };
}

/** Two lines on a phone. */
const textUnitsMax = 60;

const signs: Readonly<Record<TaskCardBlock['status'], string>> = {
  pending: 'white_circle',
  in_progress: 'hourglass_flowing_sand',
  complete: 'white_check_mark',
  error: 'x',
};

/**
 * The same facts as a list, for any number of tasks and for every surface. Slack numbers it from 1; if tasks are left out, the numbers are
 * part of the text. @param block made by `plan`, or returned by Slack
 */
export function planAsList({ title, tasks = [] }: PlanBlock): RichTextBlock {
  const steps = tasks
    .filter((task): task is TaskCardBlock => 'type' in task && task.type === 'task_card')
    .map((task, index) => {
      const [, number = index + 1, name = task.title] = /^(\d{1,6})\. (.*)$/s.exec(task.title) ?? [];
      const details = task.details?.elements ?? [];
      const elements = details.flatMap((section) => (section.type === 'rich_text_section' ? section.elements : []));
      return { number: Number(number), sentence: rich`${emoji(signs[task.status])} ${code(name)}: ${elements}` };
    });
  if (steps.every(({ number }, index) => number === index + 1)) {
    const sentences = steps.map(({ sentence }) => sentence);
    return numbered([trusted(title)], sentences);
  }
  const sentences = steps.map(({ number, sentence }) => rich`Step ${number}: ${sentence}`);
  return bulleted([trusted(title)], sentences);
}
