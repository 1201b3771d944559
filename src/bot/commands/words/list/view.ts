/** View of `list`: a table with the health of each workflow, a menu to open one and page buttons. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { Provenance } from '../../../domain/provenance.ts';
import { byVerdict, type JudgedWorkflow, type Verdict, verdicts } from '../../../insight/health/health.ts';
import type { WorkflowFieldsFragment } from '../../../query/generated/operations.ts';
import { actions, cell, context, table } from '../../../views/blocks/blocks.ts';
import { answerActions, commandSearch, commandSelect, pageActions } from '../../../views/blocks/command-button.ts';
import { workflowOptions } from '../../../views/blocks/inputs.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import { bold, date, emoji, paragraph, plain, rich, trusted } from '../../../views/blocks/rich-text.ts';
import { failingLines, verdictEmoji, verdictLabel } from '../../../views/format/health.ts';
import { markup } from '../../../views/format/mrkdwn.ts';
import { count, counted } from '../../../views/format/number.ts';
import { sourceLines, staleLine } from '../../../views/format/provenance.ts';
import { deploymentStatusLabel } from '../../../views/format/status-labels.ts';
import { typedStatus } from '../../framework/arguments.ts';

type Row = JudgedWorkflow<Omit<WorkflowFieldsFragment, 'executionCountByStatus'>>;

export type ListFilter = {
  readonly text: string | undefined;
  readonly statuses: readonly ListedStatus[] | undefined;
};

export type WorkflowList = ListFilter & {
  /** The most urgent first: those of all pages, or only those of this page. */
  readonly judged: readonly Row[];
  /** Number of workflows on all pages. */
  readonly total: number;
  /** From 1. */
  readonly page: number;
  readonly provenance: Provenance;
  readonly now: number;
};

const pageSize = 20;

/** @param page from 1 */
export function cutPage<Each>(all: readonly Each[], page: number): readonly Each[] {
  return all.slice((page - 1) * pageSize, page * pageSize);
}

export function listMessage(list: WorkflowList): Message {
  const { judged, total, page, provenance, now } = list;
  const rows = isAllJudged(list) ? cutPage(judged, page) : judged;
  const isEmpty = rows.length === 0;
  const pages = { page, hasMore: page * pageSize < total, isEmpty };
  const order = isAllJudged(list) ? 'Most urgent first; the' : 'The';
  const named = judged.map(({ workflow: { name }, health }) => ({ name, health }));
  const heading = rich`${failingLines(named, true)}${bold('Workflows')}${filterWords(list)}: ${trusted(verdictCounts(list))}.${pageWords(list, rows)}`;
  return message([
    ...staleLine(provenance, now),
    ...(isEmpty ? [paragraph(emptyWords(list))] : [paragraph(heading), workflowTable(rows)]),
    ...statusMenus(list, rows),
    context([
      ...(isEmpty ? [] : [markup`${order} failures are those of the last 24 h.`]),
      ...sourceLines(provenance, now),
    ]),
    answerActions(lineFor(list, page), pageActions({ ...pages, lineFor: (other) => lineFor(list, other) })),
  ]);
}

function isAllJudged({ judged, total }: WorkflowList): boolean {
  return judged.length === total;
}

/** @returns such as `2 failing, 1 silent, 14 healthy` */
function verdictCounts({ judged, statuses }: WorkflowList): string {
  const verdicts = byVerdict(judged);
  // The status that was asked for says it already.
  if (statuses !== undefined && verdicts.size === 1) return count(judged.length);
  const all = [...verdicts.values()].flat();
  const labels = Map.groupBy(all, ({ health, workflow }) => verdictLabel(health.verdict, workflow.status));
  return [...labels].map(([label, { length }]) => `${count(length)} ${label}`).join(', ');
}

function pageWords(list: WorkflowList, { length }: readonly Row[]): readonly RichTextElement[] {
  const { page, total } = list;
  if (length === total) return [];
  const shown = `Page ${count(page)}: ${count(length)} of ${counted(total, 'workflow')}`;
  return rich` ${trusted(shown)}${isAllJudged(list) ? [] : rich`, by name; the counts cover this page only`}.`;
}

/** A menu of the listed workflows, and a search if there are others. */
function statusMenus({ total, text, statuses }: WorkflowList, rows: readonly Row[]): readonly KnownBlock[] {
  const lineFor = (uuid: string) => `status ${uuid}`;
  const options = workflowOptions(
    rows.map(({ workflow }) => workflow),
    lineFor,
  );
  const isAll = rows.length === total && text === undefined && statuses === undefined;
  const menus = [
    ...(options.length === 0 ? [] : [commandSelect({ placeholder: 'Show the status of…', mode: 'open', options })]),
    ...(isAll ? [] : commandSearch({ placeholder: 'Find by name…', mode: 'open', lineFor })),
  ];
  return menus.length === 0 ? [] : [actions(menus)];
}

/** Three columns fit a phone; of a long name the last one is cut. */
function workflowTable(rows: readonly Row[]): KnownBlock {
  const columns = [
    { title: 'Workflow', isWrapped: true },
    { title: 'Failed', align: 'right' },
    { title: 'Last run', isWrapped: true },
  ] as const;
  return table(columns, rows.map(cellsOf));
}

function cellsOf({ workflow: { name, status, executedAt }, health: { verdict, streak, recovery }, counts }: Row) {
  const isRunning = verdict === 'inactive' || status === 'ACTIVE';
  const deployment = isRunning ? [] : rich`, ${plain(deploymentStatusLabel(status))}`;
  const since = streak === null ? [] : rich` since ${date(streak.since)}`;
  const too = trusted(verdict === 'recovered' ? '' : ', recovered');
  const good = recovery === null ? [] : rich`${too}, last failure ${date(recovery.lastFailedAt, 'clock')}`;
  const label = rich` (${plain(verdictLabel(verdict, status))}${since}${good}${deployment})`;
  return [
    paragraph(rich`${emoji(verdictEmoji(verdict))} ${plain(name, nameUnitsMax)}${label}`),
    cell(verdict === 'inactive' ? '–' : failedText(counts)),
    executedAt === null ? cell('never') : paragraph([date(Date.parse(executedAt))]),
  ];
}

const nameUnitsMax = 60;

function failedText(counts: Row['counts']): string {
  if (counts === null) return 'not known';
  return counts.total === 0 ? '–' : `${count(counts.failure)} of ${count(counts.success + counts.failure)}`;
}

function emptyWords(list: WorkflowList) {
  if (list.provenance.missing.length > 0)
    return rich`Workflows${filterWords(list)}: none was found, but the list is incomplete.`;
  if (list.page > 1) return rich`There is no page ${trusted(count(list.page))}.`;
  return rich`There are no workflows${filterWords(list)}.`;
}

function filterWords({ text, statuses }: WorkflowList) {
  const named = text === undefined ? [] : rich` with “${plain(text)}” in the name`;
  if (statuses === undefined) return named;
  return rich`${named}${trusted(text === undefined ? '' : ',')} with the status ${plain(statuses.map(listedStatusLabel).join(' or '))}`;
}

function lineFor({ text, statuses }: WorkflowList, page: number): string {
  const words = statuses?.map((status) => typedStatus(listedStatusLabel(status))).join(',');
  const parts = ['list', text, words && `--status ${words}`, page > 1 && `--page ${page}`];
  return parts.filter(Boolean).join(' ');
}

/** `FAILED` has its own word: at night, `failed` means runs. */
const deploymentStatuses = {
  ACTIVE: 'ACTIVE',
  PAUSED: 'PAUSED',
  PENDING: 'PENDING',
  DEPLOYMENT_FAILED: 'FAILED',
  DELETED: 'DELETED',
} as const satisfies Readonly<Record<string, WorkflowFieldsFragment['status']>>;

type DeploymentStatus = keyof typeof deploymentStatuses;
/** `inactive` is not offered: the states of a deployment say it more exactly. */
export type ListedStatus = Exclude<Verdict, 'inactive'> | DeploymentStatus;

const healths = verdicts.filter((verdict) => verdict !== 'inactive');
export const listedStatuses: readonly [ListedStatus, ...ListedStatus[]] = [
  'failing',
  ...healths.filter((verdict) => verdict !== 'failing'),
  ...(Object.keys(deploymentStatuses) as readonly DeploymentStatus[]),
];

/** @returns as the service spells it; none for a health, which the service does not know */
export function deploymentStatusesOf(status: string): readonly WorkflowFieldsFragment['status'][] {
  return Object.entries(deploymentStatuses).flatMap(([name, own]) => (name === status ? [own] : []));
}

export function listedStatusLabel(status: string): string {
  const verdict = healths.find((one) => one === status);
  return verdict ? verdictLabel(verdict) : deploymentStatusLabel(deploymentStatusesOf(status)[0] ?? status);
}
