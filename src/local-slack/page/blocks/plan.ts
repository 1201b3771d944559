/** A plan and its tasks, each with its status. */
import type { PlanBlock, TaskCardBlock } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { drawBlocks } from '../text/draw.ts';
import { readRichText } from '../text/rich-text.ts';
import { safeUrl } from '../text/url.ts';
import type { Scope } from './scope.ts';

const states: Readonly<Record<TaskCardBlock['status'], { readonly sign: string; readonly word: string }>> = {
  pending: { sign: '○', word: 'pending' },
  in_progress: { sign: '', word: 'in progress' },
  complete: { sign: '✓', word: 'complete' },
  error: { sign: '!', word: 'error' },
};

/** As in Slack, an edit of the message folds it (slackapi/node-slack-sdk#2701). */
export function drawPlan(block: PlanBlock, scope: Scope): VNode {
  const tasks = (block.tasks ?? []).filter(isTask);
  return html`<details class="plan" open=${!scope.isEdited}>
    <summary class="plan-title">${block.title}</summary>
    <ol class="plan-tasks">${tasks.map((task) => html`<li>${drawTask(task, scope)}</li>`)}</ol>
  </details>`;
}

/** The SDK's types accept any object as a task. */
function isTask(task: object): task is TaskCardBlock {
  return 'title' in task && 'status' in task && typeof task.status === 'string' && Object.hasOwn(states, task.status);
}

export function drawTask(task: TaskCardBlock, { viewer }: Scope): VNode {
  const { sign, word } = states[task.status];
  const sources = task.sources?.map(({ url, text }) => {
    const address = safeUrl(url);
    return html`<a class="link" href=${address ?? undefined} target="_blank" rel="noopener noreferrer">${text}</a> `;
  });
  return html`<div class="task">
    <span class=${`task-state task-${task.status}`} role="img" aria-label=${word} title=${word}>${sign}</span>
    <div class="task-body">
      <div class="task-title">${task.title}</div>
      <div class="task-details">
        ${task.details && drawBlocks(readRichText(task.details.elements), viewer)}
        ${task.output && drawBlocks(readRichText(task.output.elements), viewer)}
      </div>
      ${sources && html`<div class="task-sources">${sources}</div>`}
    </div>
  </div>`;
}
