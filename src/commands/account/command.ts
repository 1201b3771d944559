/** `account`: what is behind this workspace's key, and never the key. */
import { z } from 'zod';
import { defineCommand, ephemeral } from '../command.ts';
import { accountMessage } from './view.ts';

export const account = defineCommand({
  name: 'account',
  summary: 'the organization and the member behind this workspace’s key, and their state; never the key',
  usage: '',
  examples: ['account'],
  arguments: z.strictObject({}),
  run: async (_nothing, context) => {
    const { data, provenance } = await context.ask().account();
    return ephemeral(accountMessage({ ...data, provenance, now: context.clock() }));
  },
});
