/** `account`: the organization and the member behind this workspace's key, never the key. */
import { z } from 'zod';
import { AppError } from '../../../../shared/errors.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { accountMessage, refusedAccountMessage } from './view.ts';

export const account = defineCommand({
  name: 'account',
  group: 'setup',
  summary: 'the organization and member of this workspace’s API key, its age and who entered it; never the key itself',
  usage: '',
  examples: ['account'],
  arguments: z.strictObject({}),
  run: async (_nothing, context) => {
    const { stored, isListed } = await context.services.connections.connectionOf(context.actor).state();
    const key = stored ? { ...stored, isListed } : null;
    const now = context.clock();
    try {
      const { data, provenance } = await context.ask().account();
      return ephemeral(accountMessage({ ...data, provenance, key, now }));
    } catch (error) {
      // The facts of a refused key help the person who renews it.
      if (!key || !(error instanceof AppError) || error.code !== 'unauthorized') throw error;
      return ephemeral(refusedAccountMessage({ key, error, now }));
    }
  },
});
