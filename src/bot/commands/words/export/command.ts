/** `export`: all runs of a window as a file. */
import { z } from 'zod';
import { AppError } from '../../../../shared/errors.ts';
import { lastDay } from '../../../domain/window-words.ts';
import { outsideLine } from '../../../views/format/outside-text.ts';
import { whichWorkflow, windowFlag, workflowText } from '../../framework/arguments.ts';
import { type AnswerFile, defineCommand, ephemeral } from '../../framework/command.ts';
import { readScope } from '../../lookup/find-workflow.ts';
import { collectExport, type ExportFile, exportFormats } from './collect.ts';
import {
  type ExportView,
  exportCancelledMessage,
  exportFileName,
  exportMessage,
  exportProgressMessage,
  exportTitle,
} from './view.ts';

/** Holds 100,000 to 170,000 runs; the rest goes to another file. */
const bytesMax = 32 * 1024 * 1024;

/** Shorter exports show no progress. */
const quietMs = 1_500;

const exportFormat = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(exportFormats, { error: 'A format is csv or json.' }))
  .optional();

const exportCommand = defineCommand({
  name: 'export',
  group: 'look',
  summary: 'the runs of one workflow in a window, as a file',
  usage: '<name> [window] [--format csv|json]',
  examples: ['export fx-rates', 'export settlement 7d --format json'],
  arguments: z.strictObject({ text: workflowText, window: windowFlag, format: exportFormat }),
  run: async ({ format: flag, ...typed }, context) => {
    const formatIn = (words: readonly string[]) => flag ?? exportFormats.find((each) => words.includes(each)) ?? 'csv';
    const lineFor = (uuid: string, words: readonly string[]) => `export ${uuid} --format ${formatIn(words)}`;
    const scope = await readScope({ ...typed, usual: lastDay, lineFor }, context);
    if (scope.kind === 'choose') return ephemeral(scope.message);
    const { ask, filter, now } = scope;
    const format = formatIn(scope.words);
    const workflow = await scope.workflow();
    if (workflow === null) throw new AppError('usage', whichWorkflow);
    // Runs that start during the export are outside of the window that the answer names.
    const window = { ...scope.window, isMoving: false };
    const about = { workflow, format, window, now };
    const purpose = `the export of ${outsideLine(workflow.name, 60)}`;
    using run = context.services.operations.begin(context.actor, purpose);
    const outcome = await collectExport({
      ...{ format, from: window.from, to: window.to, workflow: outsideLine(workflow.name, 200), bytesMax },
      pages: ask.eachExecution({ ...filter, window }, run.signal),
      signal: run.signal,
      onRows: (soFar) => {
        if (context.clock() - now >= quietMs) {
          context.progress(exportProgressMessage({ ...about, ...soFar, cancelLine: run.cancelLine }));
        }
      },
    });
    if (outcome.kind === 'cancelled')
      return ephemeral(exportCancelledMessage({ ...about, rowCount: outcome.rowCount }));
    const facts = { ...about, ...outcome };
    const answer = ephemeral(exportMessage(facts), scope.lead);
    return facts.rowCount === 0 ? answer : { ...answer, file: answerFile(outcome, facts) };
  },
});

export { exportCommand as export };

function answerFile({ chunks }: ExportFile, facts: ExportView): AnswerFile {
  return {
    name: exportFileName(facts),
    title: exportTitle(facts),
    content: async () => Buffer.concat(chunks),
  };
}
