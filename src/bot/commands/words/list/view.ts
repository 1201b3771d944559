/** View of `list`: a table, a menu to open one and page buttons. */
import type { KnownBlock } from '@slack/types';
import type { Provenance } from '../../../domain/provenance.ts';
import type { WorkflowFieldsFragment } from '../../../query/generated/operations.ts';
import { actions, cell, context, table } from '../../../views/blocks/blocks.ts';
import { answerActions, commandSearch, commandSelect, pageActions } from '../../../views/blocks/command-button.ts';
import { workflowOptions } from '../../../views/blocks/inputs.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import { bold, date, paragraph, plain, rich, trusted } from '../../../views/blocks/rich-text.ts';
import { markup } from '../../../views/format/mrkdwn.ts';
import { count } from '../../../views/format/number.ts';
import { outsideLine } from '../../../views/format/outside-text.ts';
import { missingLine, sourceLine } from '../../../views/format/provenance.ts';
import { deploymentStatusLabel } from '../../../views/format/status-labels.ts';

type Row = Omit<WorkflowFieldsFragment, 'executionCountByStatus'> & {
  /** Null if the service's numbers are inconsistent. */
  readonly executionCountByStatus: WorkflowFieldsFragment['executionCountByStatus'] | null;
};

export type WorkflowList = {
  readonly workflows: readonly Row[];
  readonly hasMore: boolean;
  readonly text: string | undefined;
  readonly statuses: readonly string[] | undefined;
  /** From 1. */
  readonly page: number;
  readonly provenance: Provenance;
  readonly now: number;
};

export function listMessage(list: WorkflowList): Message {
  const { provenance, now } = list;
  const workflows = isWhole(list) ? byName(list.workflows) : list.workflows;
  const small = context([sourceLine(provenance, now), ...missingLine(provenance)]);
  const buttons = answerActions(
    lineFor(list, list.page),
    pageActions({ ...list, isEmpty: list.workflows.length === 0, lineFor: (page) => lineFor(list, page) }),
  );
  const menus = statusMenus(list, workflows);
  if (workflows.length === 0) return message([paragraph(emptyWords(list)), ...menus, small, buttons]);
  return message([
    paragraph(rich`${bold('Workflows')}${filterWords(list)}${list.page > 1 ? rich`, page ${list.page}` : []}`),
    workflowTable(workflows),
    ...menus,
    context([
      markup`Active unless it says otherwise. Failures are of all finished runs there were.`,
      sourceLine(provenance, now),
      ...missingLine(provenance),
    ]),
    buttons,
  ]);
}

/** A menu of the listed workflows, and a search if there are others. */
function statusMenus(list: WorkflowList, workflows: readonly Row[]): readonly KnownBlock[] {
  const lineFor = (uuid: string) => `status ${uuid}`;
  const options = workflowOptions(workflows, lineFor);
  const isAll = isWhole(list) && list.text === undefined && list.statuses === undefined;
  const menus = [
    ...(options.length === 0 ? [] : [commandSelect({ placeholder: 'Show the status of…', mode: 'open', options })]),
    ...(isAll ? [] : commandSearch({ placeholder: 'Find by name…', mode: 'open', lineFor })),
  ];
  return menus.length === 0 ? [] : [actions(menus)];
}

/** Returns true if all workflows are on this page. Several pages keep the service's order. */
function isWhole({ page, hasMore }: WorkflowList): boolean {
  return page === 1 && !hasMore;
}

function byName(workflows: readonly Row[]): readonly Row[] {
  return [...workflows].sort((one, other) => one.name.localeCompare(other.name));
}

/** Three columns fit a phone. */
function workflowTable(workflows: readonly Row[]): KnownBlock {
  const rows = workflows.map(({ name, status, executedAt, executionCountByStatus: counts }) => [
    cell(status === 'ACTIVE' ? name : `${outsideLine(name, 60)} (${deploymentStatusLabel(status)})`, 90),
    executedAt === null ? cell('never') : paragraph([date(Date.parse(executedAt))]),
    cell(counts ? `${count(counts.failure)} of ${count(counts.success + counts.failure)}` : 'unknown'),
  ]);
  const columns = [
    { title: 'Workflow', isWrapped: true },
    { title: 'Last run', isWrapped: true },
    { title: 'Failed', align: 'right' },
  ] as const;
  return table(columns, rows);
}

function emptyWords(list: WorkflowList) {
  // Unreadable rows exist, so the list is not empty.
  if (list.provenance.missing.length > 0) return rich`No workflows that could be read${filterWords(list)}.`;
  if (list.page > 1) return rich`Page ${trusted(count(list.page))} is beyond the end of the list.`;
  return rich`No workflows${filterWords(list)}.`;
}

function filterWords({ text, statuses }: WorkflowList) {
  const named = text === undefined ? [] : rich` with “${plain(text)}” in the name`;
  return [...named, ...(statuses ? rich`, status ${plain(statuses.map(deploymentStatusLabel).join(' or '))}` : [])];
}

function lineFor({ text, statuses }: WorkflowList, page: number): string {
  const parts = [
    'list',
    text,
    statuses && `--status ${statuses.join(',').toLowerCase()}`,
    page > 1 && `--page ${page}`,
  ];
  return parts.filter(Boolean).join(' ');
}
