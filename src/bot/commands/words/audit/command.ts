/** `audit`: the recorded actions of people, and whether entries were changed from outside. */
import { z } from 'zod';
import { ordinal } from '../../framework/arguments.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { auditMessage } from './view.ts';

const pageSize = 15;

export const audit = defineCommand({
  name: 'audit',
  group: 'setup',
  summary: 'who connected, granted, changed or was refused what, and when',
  usage: '[--before n]',
  examples: ['audit', 'audit --before 16'],
  needs: 'admin',
  arguments: z.strictObject({
    before: ordinal(
      'An entry’s number is a whole number, 1 or more.',
      Number.MAX_SAFE_INTEGER,
      'There are not that many entries.',
    ).optional(),
  }),
  run: async ({ before }, { actor: { teamId }, services }) => {
    const { audit: stored } = services.store;
    const [entries, broken] = await Promise.all([stored.page(teamId, pageSize, before), stored.firstBroken(teamId)]);
    return ephemeral(auditMessage({ entries, isNewest: before === undefined, firstBroken: broken ?? null }));
  },
});
