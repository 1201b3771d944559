/** The App Home of one person. */

import type { HomeView, KnownBlock, RichTextElement } from '@slack/types';
import type { MessageBlock } from '../../../shared/block-kit/data-visualization.ts';
import type { AppError } from '../../../shared/errors.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { actions, context } from '../blocks/blocks.ts';
import { commandButton, commandSearch, connectButton } from '../blocks/command-button.ts';
import {
  anAdmin,
  bold,
  bulleted,
  channel,
  code,
  date,
  emoji,
  paragraph,
  plain,
  rich,
  trusted,
  user,
} from '../blocks/rich-text.ts';
import {
  aboutText,
  type KnownWorkflows,
  scheduleText,
  stateMark,
  stateText,
  whatADigestIs,
} from '../digest/subscription-text.ts';
import { markup } from '../format/mrkdwn.ts';
import { counted } from '../format/number.ts';
import { problemMessage } from '../notices/problem.ts';
import { type HomeHealthSummary, healthSummaryBlocks } from './home-health.ts';

/** The answer of the query service. */
export type HomeHealth =
  | ({ readonly kind: 'known' } & HomeHealthSummary)
  | { readonly kind: 'problem'; readonly error: AppError }
  /** This person may not read, or not in direct messages. */
  | { readonly kind: 'refused'; readonly error: AppError };

/** A stored API key, without the key itself. Times are epoch milliseconds. */
export type StoredKey = {
  readonly endpoint: string;
  /** The part that may be shown; empty for a short key. */
  readonly keyHint: string;
  readonly organizationName: string | null;
  /** Slack's id of the person. */
  readonly connectedBy: string;
  readonly connectedAt: number;
  /** Time of the last check; null before the first. */
  readonly checkedAt: number | null;
  /** Start of the service's refusals; null if it accepts the key. */
  readonly refusedSince: number | null;
};

/** `isListed`: the configuration still lists the key's query service. */
export type ListedKey = StoredKey & { readonly isListed: boolean };

export type HomeFacts = {
  readonly health: HomeHealth;
  /** Why a refresh shows cached answers. */
  readonly notRefreshed?: string;
  /** Additional facts for admins; `key` is null if none is stored. Null for other people. */
  readonly admin: { readonly key: ListedKey | null } | null;
  /** Null if this person has no access here, or the answer is not known. */
  readonly digests: HomeDigests | null;
  /** The admins of the bot whom it knows. */
  readonly adminIds: readonly string[];
  /** With its slash. */
  readonly slashCommand: string;
  readonly now: number;
};

/** The view for Slack's API. */
export type Home = Omit<HomeView, 'blocks'> & { readonly blocks: MessageBlock[] };

export function homeView(facts: HomeFacts): Home {
  const blocks = [...healthBlocks(facts), ...typingBlocks(facts), ...digestsBlocks(facts), ...adminBlocks(facts)];
  return { type: 'home', blocks };
}

function healthBlocks(facts: HomeFacts): readonly MessageBlock[] {
  const { health, notRefreshed } = facts;
  switch (health.kind) {
    case 'known':
      return [
        ...(notRefreshed === undefined ? [] : [warning(notRefreshed)]),
        ...healthSummaryBlocks(health, facts.now),
      ];
    case 'problem':
      return problemBlocks(health.error, facts);
    case 'refused': {
      const adminIds = health.error.isForAdmins ? facts.adminIds : [];
      return problemMessage({ error: health.error, adminIds, reference: null, line: null }).blocks;
    }
  }
}

function warning(sentence: string): KnownBlock {
  return paragraph(rich`${emoji('warning')} ${plain(sentence, 600)}`);
}

function problemBlocks(
  { publicMessage, hint, code: kind }: AppError,
  { admin, adminIds }: HomeFacts,
): readonly KnownBlock[] {
  const words = warning(publicMessage);
  const lacksKey = kind === 'unauthorized';
  if (lacksKey && admin) return [words, paragraph(nextStep)];
  const more = hint === undefined ? [] : [paragraph([plain(hint, 600)])];
  return [words, ...more, ...(lacksKey ? [paragraph(rich`Ask ${anAdmin(adminIds)}.`)] : [])];
}

/** Only for people with the permission. */
const nextStep = rich`To connect this workspace, press ${bold('Connect')} and enter an API key of your organization. Create an API key on the platform’s web page: Organization, then APIs.`;

function canAdminConnect({ health, admin }: HomeFacts): boolean {
  return admin !== null && health.kind === 'problem' && health.error.code === 'unauthorized';
}

function typingBlocks(facts: HomeFacts): readonly KnownBlock[] {
  const { health, slashCommand } = facts;
  const help = commandButton({ label: 'All commands', line: 'help', mode: 'open' });
  if (health.kind === 'refused') return [];
  if (health.kind === 'problem') return [actions([...(canAdminConnect(facts) ? [connectButton()] : []), help])];
  return [
    paragraph(
      rich`${bold('What to type')}, in any channel or in the Messages tab: ${code(`${slashCommand} status <name>`)} ${code(`${slashCommand} failures`)} ${code(`${slashCommand} help`)}`,
    ),
    actions([
      ...commandSearch({ placeholder: 'Find any workflow…', mode: 'open', lineFor: (uuid) => `status ${uuid}` }),
      commandButton({ label: 'All workflows', line: 'list', mode: 'open' }),
      help,
    ]),
    context([markup`The answers to these buttons appear in the Messages tab.`]),
  ];
}

/** Without a key there are no digests. */
function digestsBlocks({ digests, health }: HomeFacts): readonly KnownBlock[] {
  const isEmpty = digests?.subscriptions.length === 0;
  if (!digests || (isEmpty && health.kind !== 'known')) return [];
  return [{ type: 'divider' }, ...digestBlocks(digests)];
}

function adminBlocks(facts: HomeFacts): readonly KnownBlock[] {
  const { admin, health } = facts;
  if (!admin) return [];
  const noKey =
    health.kind === 'known'
      ? rich`This workspace uses the bot’s default API key. The workspace’s own key would replace it.`
      : rich`No API key is stored for this workspace.`;
  return [
    { type: 'divider' },
    bulleted(rich`${bold('For bot admins')}`, [admin.key ? keyWords(admin.key) : noKey]),
    actions([
      ...(canAdminConnect(facts)
        ? []
        : [commandButton({ label: admin.key ? 'Replace the key' : 'Connect', line: 'connect', mode: 'open' })]),
      commandButton({ label: 'Settings', line: 'settings', mode: 'open' }),
      commandButton({ label: 'Audit', line: 'audit', mode: 'open' }),
    ]),
  ];
}

function keyWords(key: ListedKey): readonly RichTextElement[] {
  const { keyHint, connectedBy, connectedAt, checkedAt, refusedSince, isListed } = key;
  const which = keyHint === '' ? [] : rich` ${code(keyHint)}`;
  const given = rich`API key${which}, entered by ${user(connectedBy)} on ${date(connectedAt, 'day')}`;
  if (!isListed)
    return rich`${emoji('warning')} ${given}: it is no longer used, because its query service is not on the bot’s list of allowed services.`;
  if (refusedSince !== null)
    return rich`${emoji('warning')} ${given}: the query service has refused it since ${date(refusedSince)}.`;
  return checkedAt === null
    ? rich`${given}.`
    : rich`${emoji('white_check_mark')} ${given}: it worked when it was last checked, ${date(checkedAt)}.`;
}

export type HomeDigests = {
  readonly subscriptions: readonly Subscription[];
  /** The workflows of these digests. */
  readonly known: KnownWorkflows;
  /** True if this person may set them up and change them. */
  readonly mayChange: boolean;
};

/** The others are counted. */
const shownMax = 6;

export function digestBlocks({ subscriptions, known, mayChange }: HomeDigests): readonly KnownBlock[] {
  const newDigest = commandButton({ label: 'New digest', line: 'digest', mode: 'open' });
  if (subscriptions.length === 0) {
    const who = mayChange
      ? rich`Set one up for your team’s channel.`
      : rich`A bot operator or bot admin can set one up.`;
    return [
      paragraph(rich`${bold('Digests')}: this workspace has none. ${trusted(whatADigestIs)} ${who}`),
      ...(mayChange ? [actions([newDigest])] : []),
    ];
  }
  const left = subscriptions.length - shownMax;
  return [
    bulleted(rich`${bold('Digests')}`, [
      ...subscriptions.slice(0, shownMax).map((each) => digestWords(each, known)),
      ...(left > 0 ? [rich`and ${trusted(counted(left, 'more digest'))}`] : []),
    ]),
    ...(mayChange
      ? [
          actions([
            commandButton({ label: 'All digests', line: 'digest list', mode: 'open' }),
            newDigest,
            commandButton({ label: 'Deliveries', line: 'deliveries', mode: 'open' }),
          ]),
        ]
      : []),
  ];
}

function digestWords(subscription: Subscription, known: KnownWorkflows): readonly RichTextElement[] {
  const { channelId, schedule } = subscription;
  return rich`${stateMark(subscription)}${channel(channelId)} ${trusted(scheduleText(schedule))}${aboutText(subscription, known)}: ${stateText(subscription)}`;
}
