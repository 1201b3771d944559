/** View of `settings`: the form and the list of changes. */
import type { GuestReaders, Role } from '../../../domain/role.ts';
import type { RoleChange, RulesChange, WorkspaceRules } from '../../../domain/workspace-rules.ts';
import type { WorkspaceSettings } from '../../../domain/workspace-settings.ts';
import { context } from '../../../views/blocks/blocks.ts';
import { type Choice, channelsInput, choicesOf, radioInput, usersInput } from '../../../views/blocks/inputs.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import type { Modal } from '../../../views/blocks/modal.ts';
import {
  bold,
  bulleted,
  channel,
  emoji,
  paragraph,
  rich,
  several,
  trusted,
  user,
  type Words,
} from '../../../views/blocks/rich-text.ts';
import { markup } from '../../../views/format/mrkdwn.ts';

/** People per role. */
export const peopleMax = 50;
export const channelsMax = 100;

export type SettingsForm = Omit<WorkspaceRules, 'granted'> & {
  readonly admins: readonly string[];
  readonly operators: readonly string[];
  /** Includes the leading slash. */
  readonly slashCommand: string;
};

export function settingsModal({ settings, admins, operators, slashCommand }: SettingsForm): Modal {
  const { defaultVisibility, readerChannels, logChannels, guestReaders, isRedacting } = settings;
  return {
    title: 'Settings',
    submit: { label: 'Save', command: 'settings' },
    close: 'Cancel',
    blocks: [
      context([markup`Admins and owners of this workspace are always bot admins.`]),
      usersInput({
        id: 'admins',
        label: 'Additional bot admins',
        hint: 'They connect the workspace, change these settings and assign roles. A guest gets none of these rights.',
        isOptional: true,
        initial: admins,
        max: peopleMax,
      }),
      usersInput({
        id: 'operators',
        label: 'Bot operators',
        hint: 'They set up, change and post digests. A guest does not get this right.',
        isOptional: true,
        initial: operators,
        max: peopleMax,
      }),
      radioInput({
        id: 'visibility',
        label: 'Who sees an answer',
        hint: `Regardless of this, ${slashCommand} execution and Investigate post a thread in the channel. With --private, or with the button Investigate privately, the thread is in direct messages.`,
        choices: choicesOf({
          ephemeral: 'Only the person who asked, until they share it',
          channel: 'Everyone in the channel',
        }),
        initial: defaultVisibility,
      }),
      ...channelInputs(readerWords, readerChannels, [everywhere, onlyThere]),
      ...channelInputs(logWords, logChannels, [everywhere, onlyThere, nowhere]),
      guestsInput(guestReaders),
      radioInput({
        id: 'redaction',
        label: 'Values that look like secrets',
        choices: choicesOf({ on: 'Masked', off: 'Shown as they are' }),
        initial: isRedacting ? 'on' : 'off',
      }),
    ],
  };
}

function guestsInput(initial: GuestReaders) {
  return radioInput({
    id: 'guests',
    label: 'Guests of this workspace',
    hint: 'Guests see everything that is posted or shared in their channels, whatever is chosen here.',
    choices: choicesOf({
      none: 'Cannot use the bot',
      multi_channel: 'Multi-channel guests can use the bot',
      all: 'All guests can use the bot, including single-channel guests',
    }),
    initial,
  });
}

const everywhere = { value: 'everywhere', label: 'Everywhere' };
const onlyThere = { value: 'chosen', label: 'Only in the channels chosen below' };
const nowhere = { value: 'nowhere', label: 'Only in direct messages' };

const readerWords = {
  id: 'readers',
  label: 'Where members can use the bot',
  channelsLabel: 'Channels where members can use the bot',
  hint: 'Whatever is chosen here, bot operators and bot admins can use the bot in every channel and in direct messages.',
} as const;

const logWords = {
  id: 'logs',
  label: 'Where logs may be shown',
  channelsLabel: 'Channels where logs may be shown',
  hint: 'Elsewhere, logs come as direct messages, and a thread has a button that sends them to the person who presses it.',
} as const;

function channelInputs(
  { id, label, channelsLabel, hint }: typeof readerWords | typeof logWords,
  chosen: readonly string[] | null,
  ways: readonly Choice[],
) {
  const isNowhere = chosen?.length === 0 && ways.includes(nowhere);
  const initial = chosen === null ? everywhere : isNowhere ? nowhere : onlyThere;
  return [
    radioInput({ id, label, hint, choices: ways, initial: initial.value }),
    channelsInput({
      id: `${id}Channels`,
      label: channelsLabel,
      isOptional: true,
      initial: chosen ?? [],
      max: channelsMax,
    }),
  ];
}

/** Lists the changes. */
export function settingsChangedMessage({ roles, settings }: RulesChange): Message {
  const items = [...roles.map(roleWords), ...settingWords(settings)];
  if (items.length === 0) return message([paragraph(rich`No setting was changed.`)]);
  return message([bulleted(rich`${emoji('white_check_mark')} ${bold('Settings saved')}`, items)]);
}

function roleWords({ userId, before, after }: RoleChange): Words {
  if (after !== undefined) return rich`${user(userId)} is now a bot ${trusted(after)}.`;
  return rich`${user(userId)} is no longer a bot ${trusted(before ?? ('operator' satisfies Role))}.`;
}

function settingWords(changed: Partial<WorkspaceSettings>): readonly Words[] {
  const { defaultVisibility, readerChannels, logChannels, guestReaders, isRedacting } = changed;
  return [
    ...(defaultVisibility === undefined
      ? []
      : [
          defaultVisibility === 'channel'
            ? rich`Most answers are visible to everyone in the channel.`
            : rich`Answers are private until they are shared. Investigations are not.`,
        ]),
    ...(readerChannels === undefined ? [] : [rich`Members can use the bot ${channelWords(readerChannels)}.`]),
    ...(logChannels === undefined ? [] : [rich`Logs may be shown ${channelWords(logChannels)}.`]),
    ...(guestReaders === undefined ? [] : [guestWords[guestReaders]]),
    ...(isRedacting === undefined
      ? []
      : [
          isRedacting
            ? rich`Values that look like secrets, or have a name such as “password”, are masked. Other secrets are shown.`
            : rich`Values that look like secrets are shown as they are, to everyone who sees the answer.`,
        ]),
  ];
}

const guestWords = {
  none: rich`Guests cannot use the bot.`,
  multi_channel: rich`Multi-channel guests can use the bot.`,
  all: rich`All guests can use the bot.`,
} as const satisfies Record<GuestReaders, unknown>;

const namedMax = 10;

function channelWords(channelIds: readonly string[] | null): Words {
  if (channelIds === null) return rich`everywhere`;
  if (channelIds.length === 0) return rich`only in direct messages`;
  return rich`only in ${several(channelIds.map(channel), namedMax)}`;
}
