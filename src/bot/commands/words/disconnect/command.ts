/** `disconnect`: forgets the API key of this workspace, after a form that says what stops. */
import { z } from 'zod';
import { messageModal } from '../../../views/notices/modal-notices.ts';
import { defineCommand, defineForm, ephemeral } from '../../framework/command.ts';
import { disconnectedModal, disconnectModal, notConnectedMessage } from './view.ts';

export const disconnect = defineCommand({
  name: 'disconnect',
  group: 'setup',
  summary: 'deletes the API key of this workspace, after showing what stops',
  usage: '',
  examples: ['disconnect'],
  needs: 'admin',
  arguments: z.strictObject({}),
  run: async (_nothing, context) => {
    const { stored, hasDefaultKey } = await context.services.connections.connectionOf(context.actor).state();
    if (!stored) return ephemeral(notConnectedMessage(hasDefaultKey));
    return { kind: 'modal', view: disconnectModal({ stored, hasDefaultKey }) };
  },
  form: defineForm({
    values: z.object({}),
    submit: async (_nothing, context) => {
      const connection = context.services.connections.connectionOf(context.actor);
      const { hasDefaultKey } = await connection.state();
      const before = await connection.disconnect();
      const view = before
        ? disconnectedModal({ stored: before, hasDefaultKey })
        : messageModal(notConnectedMessage(hasDefaultKey));
      return { kind: 'view', view };
    },
  }),
});
