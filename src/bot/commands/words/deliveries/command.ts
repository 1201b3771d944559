/** `deliveries`: the outbox of digests, newest first. */
import { z } from 'zod';
import type { OutboxEntry } from '../../../store/outbox/delivery.ts';
import { type CommandContext, defineCommand, ephemeral } from '../../framework/command.ts';
import { chosenWorkflows } from '../../lookup/chosen-workflows.ts';
import { deliveriesMessage } from './view.ts';

const pageSize = 10;

export const deliveries = defineCommand({
  name: 'deliveries',
  group: 'digests',
  summary: 'every digest and its state: where and when it was posted, or why not',
  usage: '[--before entry]',
  examples: ['deliveries'],
  needs: 'operator',
  arguments: z.strictObject({
    before: z.string().max(300, 'Use the buttons of the list to see older entries.').optional(),
  }),
  run: async ({ before }, context) => {
    const { teamId } = context.actor;
    const { connections, store } = context.services;
    const { outbox, subscriptions } = store;
    const [entries, all] = await Promise.all([outbox.page(teamId, pageSize + 1, before), subscriptions.list(teamId)]);
    const plans = new Map(all.map((plan) => [plan.id, plan]));
    const linking = Promise.all(entries.slice(0, pageSize).map((entry) => linked(entry, context)));
    const [shown, known] = await Promise.all([linking, chosenWorkflows(connections, teamId, all)]);
    const rows = shown.map((entry) => ({ ...entry, known, workflows: plans.get(entry.key.subject)?.workflows }));
    const next = entries.length > pageSize ? (shown.at(-1)?.cursor ?? null) : null;
    return ephemeral(deliveriesMessage({ entries: rows, isNewest: before === undefined, next }));
  },
});

/** Adds the link to the posted message. */
async function linked(entry: OutboxEntry, { actor, services }: CommandContext) {
  const ts = entry.messages[0]?.ts ?? null;
  return { ...entry, link: ts === null ? undefined : await services.channels.linkTo(actor, entry.channelId, ts) };
}
