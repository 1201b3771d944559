/** `cancel`: cancels the person's running operation. */
import { z } from 'zod';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { cancelMessage } from './view.ts';

export const cancel = defineCommand({
  name: 'cancel',
  group: 'look',
  summary: 'cancels your running export, like its Cancel button',
  usage: '[id]',
  examples: ['cancel'],
  arguments: z.strictObject({ text: z.string().max(100, 'This id is too long.').optional() }),
  run: async ({ text: id }, { actor, services }) =>
    ephemeral(cancelMessage({ cancelled: services.operations.cancel(actor, id) })),
});
