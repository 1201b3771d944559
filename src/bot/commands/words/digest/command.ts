/** `digest`: a summary of what failed, posted in a channel at fixed times. */
import { z } from 'zod';
import { AppError } from '../../../../shared/errors.ts';
import { pausedByPerson, type Subscription, waitsForKey } from '../../../domain/subscription.ts';
import type { WorkflowName } from '../../../query/results.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { pageNumber, typedMentions } from '../../framework/arguments.ts';
import { type Answer, type CommandContext, defineCommand, ephemeral } from '../../framework/command.ts';
import { chosenWorkflows } from '../../lookup/chosen-workflows.ts';
import { pauseDigest, requestDigest, resumeDigest } from './actions.ts';
import { digestForm, wordModal } from './form.ts';
import { chooseModal, digestModal, noneModal } from './modals.ts';
import {
  chooseMessage,
  comingMessage,
  digestListMessage,
  goneMessage,
  noneMessage,
  onItsWayMessage,
  pausedMessage,
  refusedMessage,
  resumedMessage,
} from './view.ts';

const everyWorkday = [1, 2, 3, 4, 5];
const words = ['list', 'edit', 'pause', 'resume', 'remove', 'now'] as const;
type Word = (typeof words)[number];

const wordSummaries = {
  list: 'every digest of this workspace: where, when, which workflows, next post',
  edit: 'changes the channel, time, days or workflows in a form',
  pause: 'stops the digest until you resume it',
  resume: 'resumes posting, from the next due time',
  remove: 'removes a digest, after you confirm',
  now: 'posts a digest now, visible to everyone in its channel',
} as const satisfies Record<Word, string>;

export const digest = defineCommand({
  name: 'digest',
  group: 'digests',
  summary: 'sets up, changes, stops or posts a digest, a scheduled post of what failed since the last one',
  subcommands: [
    { usage: 'digest', summary: 'a form for a new digest, with a preview before it is saved' },
    ...words.map((word) => ({
      usage: `digest ${word}${word === 'list' ? ' [--page n]' : ' [channel]'}`,
      summary: wordSummaries[word],
    })),
  ],
  usage: '[list|edit|pause|resume|remove|now] [channel] [--page n]',
  examples: ['digest', 'digest list', 'digest edit', 'digest pause', 'digest resume', 'digest remove', 'digest now'],
  needs: 'operator',
  arguments: z.strictObject({
    text: z.string().max(200, 'That is too long for a channel or a digest.').default(''),
    page: pageNumber,
  }),
  form: digestForm,
  opensModal: ([word]) => word === undefined || word === 'edit' || word === 'remove',
  run: async ({ text, page }, context) => {
    const [typed = '', ...target] = text.split(' ');
    if (typed === '') return suggest(context);
    const word = words.find((each) => each === typed.toLowerCase());
    if (!word) {
      throw new AppError('usage', `Unknown subcommand “${typed}”. Available: ${words.join(', ')}.`, {
        command: { line: 'digest', purpose: 'set up a new digest in a form' },
      });
    }
    const { teamId, channelId } = context.actor;
    const { access, connections, slashCommand, store } = context.services;
    const all = await store.subscriptions.list(teamId);
    const known = await chosenWorkflows(connections, teamId, all);
    if (word === 'list') {
      const adminIds = all.some(waitsForKey) ? await access.adminIds(teamId) : [];
      return ephemeral(digestListMessage({ subscriptions: all, known, page, adminIds }));
    }
    const subject = narrowed(word, findDigest(target.join(' '), all, channelId));
    switch (subject.kind) {
      case 'one':
        return act(word, subject.subscription, known, context);
      case 'several':
        return isInModal(word)
          ? { kind: 'modal', view: chooseModal({ ...subject, word, slashCommand }) }
          : ephemeral(chooseMessage({ ...subject, known, word }));
      case 'none':
        return isInModal(word) ? { kind: 'modal', view: noneModal(slashCommand) } : ephemeral(noneMessage());
    }
  },
});

/** Keeps the digests that the word would change; a single one in this channel is the one. */
function narrowed(word: Word, subject: FoundDigest): FoundDigest {
  if (subject.kind !== 'several') return subject;
  const subscriptions = subject.subscriptions.filter((each) => isChangedBy(word, each));
  const [only, ...others] = subscriptions;
  if (only && others.length === 0 && !subject.isElsewhere) return { kind: 'one', subscription: only };
  return only ? { ...subject, subscriptions } : subject;
}

function isChangedBy(word: Word, { pause }: Subscription): boolean {
  if (word === 'pause') return pause?.reason !== pausedByPerson;
  return word !== 'resume' || pause !== null;
}

function isInModal(word: Word): word is 'edit' | 'remove' {
  return word === 'edit' || word === 'remove';
}

/** Suggests every workday at nine in the person's time zone. */
async function suggest({ actor, zone, services: { access, connections, store } }: CommandContext): Promise<Answer> {
  const { teamId, channelId } = actor;
  const [all, own, { stored, hasDefaultKey }] = await Promise.all([
    store.subscriptions.list(teamId),
    zone(),
    connections.connectionOf(actor).state(),
  ]);
  const keyFrom = stored === undefined && !hasDefaultKey ? await access.adminIds(teamId) : undefined;
  const plan = {
    channelId,
    schedule: { time: '09:00', weekdays: everyWorkday, zone: own },
    workflows: { kind: 'all' },
    hasAllClear: true,
    onUncertain: 'hold',
  } as const;
  const others = all.filter((each) => each.channelId === channelId).length;
  return { kind: 'modal', view: digestModal({ plan, chosen: [], others, keyFrom }) };
}

async function act(
  word: Exclude<Word, 'list'>,
  subscription: Subscription,
  known: readonly WorkflowName[],
  context: CommandContext,
): Promise<Answer> {
  const { actor, services } = context;
  const { id } = subscription;
  const answer = (now: Subscription | undefined, view: typeof pausedMessage) =>
    ephemeral(now ? view(now, known, subscription) : goneMessage());
  switch (word) {
    case 'edit':
    case 'remove':
      return { kind: 'modal', view: wordModal(word, subscription, known) };
    case 'pause':
      return answer(await pauseDigest(services, actor, id), pausedMessage);
    case 'resume':
      return answer(await resumeDigest(services, actor, id), resumedMessage);
    case 'now':
      return ephemeral(await postNow(subscription, context));
  }
}

/** Refuses without a key. First shows an ephemeral message in another channel, or in one that refused posts before, and explains a refusal. */
async function postNow(subscription: Subscription, { actor, services }: CommandContext): Promise<Message> {
  const { channels, connections } = services;
  const { stored, isListed, hasDefaultKey } = await connections.connectionOf(actor).state();
  const hasKey = stored ? isListed : hasDefaultKey;
  if (!hasKey) return refusedMessage(subscription, stored ? 'not_listed' : 'not_connected');
  const withheld = await channels.withheldIn(actor, subscription.channelId);
  if (withheld !== undefined) return refusedMessage(subscription, withheld);
  const { pause } = subscription;
  const isRefused = pause !== null && pause.reason !== pausedByPerson && !waitsForKey(subscription);
  const isElsewhere = subscription.channelId !== actor.channelId;
  const tried =
    isRefused || isElsewhere ? await channels.showIn(actor, subscription.channelId, comingMessage()) : undefined;
  if (tried?.kind === 'refused' && tried.error !== notAMember) return refusedMessage(subscription, tried.error);
  return onItsWayMessage({
    subscription,
    isNew: await requestDigest(services, actor, subscription),
    isMended: isRefused && tried?.kind === 'shown',
  });
}

/** Concerns the person, not the bot: it does not say whether the bot may post. */
const notAMember = 'user_not_in_channel';

export type FoundDigest =
  | { readonly kind: 'one'; readonly subscription: Subscription }
  /** `isElsewhere`: this conversation has none. */
  | { readonly kind: 'several'; readonly subscriptions: readonly Subscription[]; readonly isElsewhere: boolean }
  /** The workspace has no digest. */
  | { readonly kind: 'none' };

const idLengthMin = 4;

/**
 * @param target a channel's mention or id, or a digest's id or a prefix of it; empty for the person's channel
 * @throws AppError `not_found` if the target has no digest
 */
function findDigest(target: string, all: readonly Subscription[], channelId: string): FoundDigest {
  if (all.length === 0) return { kind: 'none' };
  const named = /^<#([CG][A-Z0-9]{1,30})(?:\|[^>]*)?>$/.exec(target)?.[1] ?? target;
  const here = all.filter((each) => each.channelId === (target === '' ? channelId : named));
  const meant = here.length > 0 ? here : all.filter(({ id }) => target.length >= idLengthMin && id.startsWith(target));
  const [one, ...others] = meant;
  if (one && others.length === 0) return { kind: 'one', subscription: one };
  if (one) return { kind: 'several', subscriptions: meant, isElsewhere: false };
  if (target === '') return { kind: 'several', subscriptions: all, isElsewhere: true };
  const typed = typedMentions(target);
  throw new AppError(
    'not_found',
    typed.startsWith('#') ? `There is no digest in ${typed}.` : `There is no digest “${typed}”.`,
    {
      hint: 'Give the name of a channel that has a digest, or type the command in that channel without a name.',
      command: { line: 'digest list', purpose: 'see every digest' },
    },
  );
}
