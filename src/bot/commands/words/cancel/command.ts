/** `cancel`: cancels the person's running operation. */
import { z } from 'zod';
import { message } from '../../../views/blocks/message.ts';
import { code, emoji, paragraph, plain, rich } from '../../../views/blocks/rich-text.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import type { RunningOperations } from '../../framework/running-operations.ts';

export const cancel = defineCommand({
  name: 'cancel',
  group: 'look',
  summary: 'cancels your running export, like its Cancel button',
  usage: '',
  examples: ['cancel'],
  arguments: z.strictObject({ text: z.string().max(100, 'This id is too long.').optional() }),
  run: async ({ text: id }, { actor, services: { operations, slashCommand } }) =>
    ephemeral(message([paragraph(cancelWords(operations.cancel(actor, id), slashCommand))])),
});

function cancelWords(found: ReturnType<RunningOperations['cancel']>, slashCommand: string) {
  if (found === null) return rich`No running export of yours was found. It may have finished.`;
  const what = plain(found.what);
  if (!found.isCancelled)
    return rich`Nothing was cancelled: ${what} is still running. To cancel it, type ${code(`${slashCommand} cancel`)}.`;
  // It may replace the export's final message, so it says how the export ended.
  return rich`${emoji('no_entry_sign')} Cancelled ${what}: no file was made.`;
}
