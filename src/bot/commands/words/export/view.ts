/** View of `export`: the result with its exact window and missing rows, the progress and the cancellation. */

import type { ActionsBlock } from '@slack/types';
import { percent } from '../../../domain/percent.ts';
import { spelledWindow, type Window } from '../../../domain/window.ts';
import { actions, context } from '../../../views/blocks/blocks.ts';
import { commandButton } from '../../../views/blocks/command-button.ts';
import { type Message, maskedNote, message } from '../../../views/blocks/message.ts';
import { bold, date, emoji, paragraph, rich, trusted, type Words } from '../../../views/blocks/rich-text.ts';
import { count, counted } from '../../../views/format/number.ts';
import { outsideLine } from '../../../views/format/outside-text.ts';
import { orNotKept, sourceLines } from '../../../views/format/provenance.ts';
import { dateFallback } from '../../../views/format/time.ts';
import type { ExportFile, ExportFormat, ExportSoFar } from './collect.ts';

type About = {
  readonly workflow: { readonly uuid: string; readonly name: string };
  readonly format: ExportFormat;
  readonly window: Window;
  readonly rowCount: number;
};

export type ExportView = About & Omit<ExportFile, 'kind' | 'chunks'> & { readonly now: number };

export function exportMessage(view: ExportView): Message {
  const { maskedCount, now } = view;
  const masked = maskedCount === 0 ? [] : [maskedNote(maskedCount)];
  return message([
    paragraph(rowWords(view)),
    ...lackWords(view).map((words) => paragraph(rich`${emoji('warning')} ${words}`)),
    context([...masked, ...sourceLines({ source: 'live', asOf: now, missing: [] }, now)]),
    actions(buttons(view)),
  ]);
}

/** The end of the window is exclusive. */
function rowWords({ workflow, rowCount, byteCount, window, format, end, unreadable }: ExportView) {
  const span = rich`between ${date(window.from, 'second')} and ${date(window.to, 'second')}`;
  if (rowCount === 0 && unreadable > 0)
    return rich`${bold(workflow.name)}: no run that started ${span} could be read, so there is no file.`;
  if (rowCount === 0)
    return rich`${bold(workflow.name)}: no run started ${span}${trusted(orNotKept(window))}, so there is no file.`;
  const isWhole = end === null && unreadable === 0;
  const runs = trusted(isWhole ? counted(rowCount, 'run') : `${count(rowCount)} of the runs`);
  const file = trusted(`${format.toUpperCase()}, ${sizeWords(byteCount)}, newest first`);
  return rich`${emoji('page_facing_up')} ${bold(workflow.name)}: ${runs} that started ${span} (${file}).`;
}

function lackWords({ end, unreadable, rowCount }: ExportView): readonly Words[] {
  const file = rowCount === 0 ? 'counted' : 'in the file';
  const lacking = rich`${trusted(counted(unreadable, 'run'))} of the window could not be read and ${trusted(unreadable === 1 ? 'is' : 'are')} not ${trusted(file)}.`;
  return [...(unreadable === 0 ? [] : [lacking]), ...(end === null ? [] : [endWords(end)])];
}

function endWords({ reason, oldest }: NonNullable<ExportView['end']>): Words {
  const why = reason === 'size' ? 'The file has reached its size limit' : 'The query service stopped answering midway';
  return rich`${trusted(why)}: runs before ${date(oldest, 'second')} are missing.`;
}

function buttons({ workflow, window, format, end }: ExportView): ActionsBlock['elements'] {
  const other = format === 'csv' ? 'json' : 'csv';
  const line = (label: string, as: string) => `export ${workflow.uuid} ${label} --format ${as}`;
  // Repeats the oldest instant: other runs that started in it may be missing from the file.
  const rest = end === null ? [] : [line(spelledWindow(window.from, end.oldest + 1), format)];
  return [
    ...rest.map((rest) => commandButton({ label: 'Export the rest', line: rest, mode: 'open', style: 'primary' })),
    commandButton({ label: `As ${other.toUpperCase()}`, line: line(window.label, other), mode: 'open' }),
  ];
}

function sizeWords(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.max(1, Math.round(bytes / 1000))} KB`;
  return `${Math.round(bytes / 100_000) / 10} MB`;
}

/** A portable file name, such as `payments-2026-11-20T1030Z-2026-11-21T1030Z.csv`. */
export function exportFileName({ workflow, window, format }: Omit<About, 'rowCount'>): string {
  // Masks first: without its punctuation a secret would not be recognised.
  const name = outsideLine(workflow.name, 200)
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const at = (ms: number) => `${new Date(ms).toISOString().slice(0, 16).replace(':', '')}Z`;
  return `${name.slice(0, 60) || 'workflow'}-${at(window.from)}-${at(window.to)}.${format}`;
}

export function exportTitle(view: Pick<ExportView, 'rowCount' | 'window'>): string {
  const { from, to } = view.window;
  return `${counted(view.rowCount, 'run')}, ${dateFallback(from, 'second')} to ${dateFallback(to, 'second')}`;
}

type Progress = About & ExportSoFar & { readonly cancelLine: string };

/** Runs are read from newest to oldest, so the covered share of the window is the progress. */
export function exportProgressMessage({ workflow, window, rowCount, oldest, cancelLine }: Progress): Message {
  const { from, to } = window;
  const share = to > from ? `, ${percent(Math.min(to - from, Math.max(0, to - oldest)), to - from)} of the window` : '';
  return message([
    paragraph(
      rich`${emoji('hourglass_flowing_sand')} Exporting ${bold(workflow.name)}: ${trusted(`${counted(rowCount, 'run')} so far${share}`)}…`,
    ),
    actions([commandButton({ label: 'Cancel', line: cancelLine, mode: 'replace' })]),
  ]);
}

export function exportCancelledMessage({ workflow, window, rowCount, format }: About): Message {
  const line = `export ${workflow.uuid} ${window.label} --format ${format}`;
  return message([
    paragraph(
      rich`${emoji('no_entry_sign')} Cancelled the export of ${bold(workflow.name)}: ${trusted(counted(rowCount, 'run'))} had been read, and no file was made.`,
    ),
    actions([commandButton({ label: 'Export again', line, mode: 'open' })]),
  ]);
}
