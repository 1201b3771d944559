/** `export`: every run of a window as a file. */
import { z } from 'zod';
import { outsideLine } from '../../views/format/outside.ts';
import { windowExpression, workflowText } from '../arguments.ts';
import { type AnswerFile, defineCommand, ephemeral } from '../command.ts';
import { readSubject } from '../subject.ts';
import { collectExport, type ExportFile, exportFormats } from './collect.ts';
import { type ExportView, exportFileName, exportMessage, exportTitle } from './view.ts';

/** 100,000 to 170,000 runs; more are the next file. */
const bytesMax = 32 * 1024 * 1024;

const exportFormat = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(exportFormats, { error: 'A format is csv or json.' }))
  .default('csv');

const exportCommand = defineCommand({
  name: 'export',
  summary: 'every run of one workflow in a window as a file, however many there are',
  usage: '<name> [window] [--format csv|json]',
  examples: ['export fx-rates', 'export settlement 7d --format json'],
  arguments: z.strictObject({ text: workflowText, window: windowExpression, format: exportFormat }),
  run: async ({ text, window: expression, format }, context) => {
    const lineFor = (uuid: string) => `export ${uuid} --format ${format}`;
    const subject = await readSubject({ text, window: expression, lineFor }, context);
    if (subject.kind === 'choose') return ephemeral(subject.message);
    const { ask, filter, now } = subject;
    const { uuid, name, takenFor } = await subject.workflow();
    // What starts while the pages are read is not in the window that the answer names.
    const window = { ...subject.window, isMoving: false };
    const pages = ask.eachExecution({ ...filter, window });
    const workflow = outsideLine(name ?? '', 200);
    const file = await collectExport({ pages, format, workflow, from: window.from, to: window.to, bytesMax });
    const facts = { ...file, workflow: { uuid: uuid ?? '', name: name ?? '', takenFor }, format, window, now };
    const answer = ephemeral(exportMessage(facts));
    return file.rowCount === 0 ? answer : { ...answer, files: [answerFile(file, facts)] };
  },
});

export { exportCommand as export };

function answerFile({ chunks }: ExportFile, facts: ExportView): AnswerFile {
  return {
    name: exportFileName(facts),
    title: exportTitle(facts),
    content: async () => new Uint8Array(await new Blob([...chunks]).arrayBuffer()),
  };
}
