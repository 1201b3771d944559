/** `cancel`: cancels the person's running operation. */
import { z } from 'zod';
import { type Message, message } from '../../../views/blocks/message.ts';
import { emoji, paragraph, plain, rich } from '../../../views/blocks/rich-text.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';

export const cancel = defineCommand({
  name: 'cancel',
  group: 'look',
  summary: 'cancels your running export, like its Cancel button',
  usage: '[id]',
  examples: ['cancel'],
  arguments: z.strictObject({ text: z.string().max(100, 'This id is too long.').optional() }),
  run: async ({ text: id }, { actor, services }) => ephemeral(cancelMessage(services.operations.cancel(actor, id))),
});

/** @param cancelled such as `the export of payments`; null if nothing was running */
function cancelMessage(cancelled: string | null): Message {
  if (cancelled === null)
    return message([paragraph(rich`You have no running export. The last one may have finished.`)]);
  // It may replace the export's final message, so it says how the export ended.
  return message([paragraph(rich`${emoji('no_entry_sign')} Cancelled ${plain(cancelled)}: no file was made.`)]);
}
