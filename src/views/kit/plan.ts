/** What happens in steps: a plan of task cards, and the list that says the same where Slack takes no plan. */
import type { PlanBlock, RichTextBlock, RichTextElement, TaskCardBlock } from '@slack/types';
import { outsideLine } from '../format/outside.ts';
import { code, emoji, numbered, ours, paragraph, rich } from './rich-text.ts';

export type Task = {
  /** Texts from anywhere, shown beside each other as plain text; each is masked by itself, for together they could look like one. */
  readonly title: readonly string[];
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
    title: numberedTitle(index, titleText(title)),
    status,
    details: paragraph(details),
  };
}

/** Two lines of a phone. */
const partUnitsMax = 60;

function titleText(parts: Task['title']): string {
  return parts.map((part) => outsideLine(part, partUnitsMax)).join(' ');
}

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
  return list(
    title,
    tasks.map((task) => ({ ...task, name: titleText(task.title) })),
  );
}

/** @param block made by `plan`, or one that came back from Slack */
export function planAsList({ title, tasks = [] }: PlanBlock): RichTextBlock {
  const lines = tasks.filter(isTaskCard).map((task, index) => {
    const number = numberedTitle(index, '');
    return {
      name: task.title.startsWith(number) ? task.title.slice(number.length) : task.title,
      status: task.status,
      details: task.details?.elements.flatMap((part) => (part.type === 'rich_text_section' ? part.elements : [])) ?? [],
    };
  });
  return list(title, lines);
}

type Line = Pick<Task, 'status' | 'details'> & { readonly name: string };

function list(title: string, lines: readonly Line[]): RichTextBlock {
  return numbered(
    [ours(title)],
    lines.map(({ name, status, details }) => rich`${emoji(signs[status])} ${code(name)}: ${details}`),
  );
}

/** The types let anything be a task of a plan. */
function isTaskCard(task: object): task is TaskCardBlock {
  return 'type' in task && task.type === 'task_card';
}
