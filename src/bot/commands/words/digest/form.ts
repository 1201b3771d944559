/** Submissions of the `digest` modals: preview and save a plan, choose a digest, remove one. */

import { z } from 'zod';
import { parseJson } from '../../../../shared/json.ts';
import { isChannelId } from '../../../domain/person.ts';
import { isZone } from '../../../domain/schedule.ts';
import {
  type ChosenWorkflows,
  chosenMax,
  type Subscription,
  type SubscriptionPlan,
} from '../../../domain/subscription.ts';
import type { WorkflowName } from '../../../query/results.ts';
import { type Choice, noNamesChoice, workflowChoices } from '../../../views/blocks/inputs.ts';
import { oneOf } from '../../framework/arguments.ts';
import { defineForm, type FormAnswer, type FormContext, otherVersionError } from '../../framework/command.ts';
import { chosenWorkflows } from '../../lookup/chosen-workflows.ts';
import { previewDigest, removeDigest, saveDigest } from './actions.ts';
import { digestModal, previewModal, refusedChannelText, removeModal, textUnitsMax } from './modals.ts';
import { goneMessage, removedMessage, savedMessage, shownMessage } from './view.ts';

const id = z.string().min(1).max(100);

const filled = z
  .object({
    step: z.literal('fill'),
    id: id.optional(),
    channel: z
      .string({ error: 'Choose where it is posted.' })
      .refine(isChannelId, 'Choose a channel, or your direct messages with the bot.'),
    time: z.string({ error: 'Choose a time.' }).regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'A time is from 00:00 to 23:59.'),
    weekdays: z
      .array(z.enum(['1', '2', '3', '4', '5', '6', '7'], { error: 'Choose days from the list.' }), {
        error: 'Choose at least one day.',
      })
      .min(1, 'Choose at least one day.'),
    zone: z
      .string({ error: 'Choose a time zone.' })
      .refine(isZone, 'This time zone is not known. Choose one from the list.'),
    which: oneOf(['all', 'text', 'chosen']),
    text: z.string().max(textUnitsMax, `A part of a name has at most ${textUnitsMax} characters.`).optional(),
    workflows: z.array(id).max(chosenMax, `Choose at most ${chosenMax}, or choose “Name contains…” above.`).default([]),
    allClear: oneOf(['on', 'off']),
    uncertain: oneOf(['hold', 'repeat']),
  })
  .superRefine(({ which, text, workflows }, { addIssue }) => {
    const refuse = (input: 'text' | 'workflows', message: string) =>
      addIssue({ code: 'custom', path: [input], message });
    if (which === 'text' && (text ?? '').trim() === '') {
      refuse('text', 'Type a part of the names, or choose another option above.');
    }
    if (which !== 'chosen') return;
    if (workflows.length === 0) refuse('workflows', 'Choose at least one workflow, or another option above.');
    if (workflows.includes(noNamesChoice.value)) {
      refuse('workflows', `Remove “${noNamesChoice.label}”, and search again.`);
    }
  });

type Filled = z.output<typeof filled>;

export const digestForm = defineForm({
  values: z.discriminatedUnion('step', [
    filled,
    z.object({ step: z.literal('save'), filled: z.string() }),
    z.object({ step: z.literal('choose'), word: z.enum(['edit', 'remove']), digest: id }),
    z.object({ step: z.literal('remove'), id }),
  ]),
  submit: async (values, context) => {
    switch (values.step) {
      case 'fill':
        return showPreview(values, context);
      case 'save':
        return save(values.filled, context);
      case 'choose':
        return open(values, context);
      case 'remove': {
        const removed = await removeDigest(context.services, context.actor, values.id);
        return { kind: 'close', message: removed ? removedMessage(removed) : goneMessage() };
      }
    }
  },
});

async function showPreview(values: Filled, { actor, services }: FormContext): Promise<FormAnswer> {
  const plan = planOf(values);
  const [preview, known] = await Promise.all([
    previewDigest(services, actor, plan, values.id),
    chosenWorkflows(services.connections, actor.teamId, [plan]),
  ]);
  const shown = await services.channels.showIn(actor, plan.channelId, shownMessage(preview.posts));
  if (shown.kind === 'refused') {
    const form = digestModal({ plan, id: values.id, chosen: chosenChoices(plan, known) });
    return { kind: 'errors', errors: { channel: refusedChannelText(shown.error) }, form };
  }
  return { kind: 'next', view: previewModal({ plan, known, values, preview, isShown: shown.kind === 'shown' }) };
}

/** @param text the submitted values that the preview carries */
async function save(text: string, { actor, services }: FormContext): Promise<FormAnswer> {
  const { data: values } = filled.safeParse(parseJson(text));
  if (!values) throw otherVersionError();
  const saved = await saveDigest(services, actor, planOf(values), values.id);
  if (!saved) return { kind: 'close', message: goneMessage() };
  const known = await chosenWorkflows(services.connections, actor.teamId, [saved]);
  const { slashCommand } = services;
  return { kind: 'close', message: savedMessage({ saved, known, isNew: values.id === undefined, slashCommand }) };
}

async function open(
  { word, digest }: { readonly word: 'edit' | 'remove'; readonly digest: string },
  { actor, services: { connections, store } }: FormContext,
): Promise<FormAnswer> {
  const found = (await store.subscriptions.list(actor.teamId)).find(({ id }) => id === digest);
  if (!found) return { kind: 'close', message: goneMessage() };
  const known = await chosenWorkflows(connections, actor.teamId, [found]);
  return { kind: 'view', view: wordModal(word, found, known) };
}

/** The modal that changes or removes a digest. @param known names of its chosen workflows */
export function wordModal(word: 'edit' | 'remove', found: Subscription, known: readonly WorkflowName[]) {
  if (word === 'remove') return removeModal(found, known);
  return digestModal({ plan: found, id: found.id, chosen: chosenChoices(found, known) });
}

/** Labels are names, or uuids if the names are unknown. */
function chosenChoices({ workflows }: SubscriptionPlan, known: readonly WorkflowName[]): readonly Choice[] {
  if (workflows.kind !== 'chosen') return [];
  const choices = new Map(workflowChoices(known).map((choice) => [choice.value, choice]));
  return workflows.uuids.map((uuid) => choices.get(uuid) ?? { label: uuid, value: uuid });
}

function planOf(values: Filled): SubscriptionPlan {
  return {
    channelId: values.channel,
    schedule: { time: values.time, weekdays: values.weekdays.map(Number).toSorted(), zone: values.zone },
    workflows: workflowsOf(values),
    hasAllClear: values.allClear === 'on',
    onUncertain: values.uncertain,
  };
}

function workflowsOf({ which, text = '', workflows }: Filled): ChosenWorkflows {
  switch (which) {
    case 'all':
      return { kind: 'all' };
    case 'text':
      return { kind: 'text', text: text.trim() };
    case 'chosen':
      return { kind: 'chosen', uuids: workflows };
  }
}
