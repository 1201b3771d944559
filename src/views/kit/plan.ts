/** What happens in steps: a plan of task cards, and the list that says the same where Slack takes no plan. */
import type { PlanBlock, RichTextBlock, RichTextElement, TaskCardBlock } from '@slack/types';
import { outsideLine } from '../format/outside.ts';
import { code, emoji, numbered, ours, paragraph, rich } from './rich-text.ts';

export type Task = {
  /** From anywhere; shown as plain text. */
  readonly title: string;
  readonly status: TaskCardBlock['status'];
  /** Says the state in words too: clients fold it away, and draw the status as a sign. */
  readonly details: readonly RichTextElement[];
};

/** @param title ours: all that is seen of a folded plan @param tasks in order; each title gets its number */
export function plan(title: string, tasks: readonly Task[]): PlanBlock {
  return { type: 'plan', title, tasks: tasks.map(card) };
}

function card({ title, status, details }: Task, index: number): TaskCardBlock {
  return {
    type: 'task_card',
    task_id: `task-${index + 1}`,
    title: numberedTitle(index, outsideLine(title, titleUnitsMax)),
    status,
    details: paragraph(details),
  };
}

/** One line of a wide screen, three of a phone. */
const titleUnitsMax = 120;

function numberedTitle(index: number, title: string): string {
  return `${index + 1}. ${title}`;
}

const signs: Readonly<Record<TaskCardBlock['status'], string>> = {
  pending: 'white_circle',
  in_progress: 'hourglass_flowing_sand',
  complete: 'white_check_mark',
  error: 'x',
};

/** The same facts as `plan`, for any number of tasks and for every surface. */
export function taskList(title: string, tasks: readonly Task[]): RichTextBlock {
  return numbered(
    [ours(title)],
    tasks.map(
      ({ title: name, status, details }) => rich`${emoji(signs[status])} ${code(name, titleUnitsMax)}: ${details}`,
    ),
  );
}

/** @param block made by `plan`, or one that came back from Slack */
export function planAsList(block: PlanBlock): RichTextBlock {
  const tasks = (block.tasks ?? []).filter(isTaskCard);
  return taskList(
    block.title,
    tasks.map(({ title, status, details }, index) => {
      const number = numberedTitle(index, '');
      return {
        title: title.startsWith(number) ? title.slice(number.length) : title,
        status,
        details: details?.elements.flatMap((part) => (part.type === 'rich_text_section' ? part.elements : [])) ?? [],
      };
    }),
  );
}

/** The types let anything be a task of a plan. */
function isTaskCard(task: object): task is TaskCardBlock {
  return 'type' in task && task.type === 'task_card';
}
