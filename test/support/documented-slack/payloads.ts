/** The payloads that Slack delivers to an app, each as its page documents it and as Bolt's types declare it. */
import type { BlockAction, BlockSuggestion, MessageShortcut, SlashCommand, ViewSubmitAction } from '@slack/bolt';
import type { AppHomeOpenedEvent, AppMentionEvent, GenericMessageEvent } from '@slack/types';
import type { JsonRecord } from '../../../src/shared/json.ts';
import { messageObject } from './methods.ts';
import { viewObject } from './views.ts';
import { app, type Conversation, type SlackMessage, type SlackView, team, type Workspace } from './workspace.ts';

/** A person in a conversation, and the address for answers to what they do. */
export type Act = {
  readonly user: string;
  readonly conversation: Conversation;
  readonly responseUrl: string;
};

const { id: team_id, domain } = team;
const token = app.verificationToken;
const old = { token, api_app_id: app.id } as const;
const outsideGrid = { is_enterprise_install: false } as const;

const nameOf = (user: string) => user.toLowerCase();
const person = (user: string) => ({ id: user, username: nameOf(user), name: nameOf(user), team_id });
/** https://docs.slack.dev/interactivity/implementing-slash-commands: the names of the others are not given. */
const names = { private: 'privategroup', im: 'directmessage' } as const;
const place = ({ id, name, kind }: Conversation) => ({ id, name: kind === 'public' ? name : names[kind] });

/** https://docs.slack.dev/interactivity/implementing-slash-commands#app_command_handling */
export function slashCommand(slack: Workspace, { user, conversation, responseUrl }: Act, text: string) {
  return {
    ...{ ...old, team_id, team_domain: domain, channel_id: conversation.id },
    channel_name: place(conversation).name,
    ...{ user_id: user, user_name: nameOf(user), command: '/workflow', text, is_enterprise_install: 'false' },
    ...{ response_url: responseUrl, trigger_id: slack.newTrigger(user) },
  } satisfies SlashCommand;
}

/** The message, modal or Home tab that was pressed. */
export type Pressed =
  | { readonly message: SlackMessage; readonly act: Act }
  | { readonly view: SlackView; readonly user: string };

/** https://docs.slack.dev/reference/interaction-payloads/block_actions-payload: an ephemeral message is not repeated in it. */
export function blockActions(
  slack: Workspace,
  pressed: Pressed,
  action: JsonRecord,
  values: JsonRecord = {},
): JsonRecord {
  const common = {
    type: 'block_actions',
    ...old,
    ...outsideGrid,
    team: { id: team_id, domain },
    enterprise: null,
  };
  if ('view' in pressed) {
    const { view, user } = pressed;
    return {
      ...{ ...common, user: person(user), container: { type: 'view', view_id: view.id }, state: { values } },
      ...{ trigger_id: slack.newTrigger(user, view.id), view: viewObject(view, values), actions: [action] },
    };
  }
  const { message, act } = pressed;
  const { ts, channel, viewer, threadTs } = message;
  const isEphemeral = viewer !== undefined;
  return {
    ...common,
    ...{ user: person(act.user), channel: place(act.conversation), response_url: act.responseUrl },
    container: {
      ...{ type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: isEphemeral },
      ...(threadTs !== undefined && { thread_ts: threadTs }),
    },
    ...(!isEphemeral && { message: { ...messageObject(message), type: 'message', ts } }),
    ...{ trigger_id: slack.newTrigger(act.user), actions: [action], state: { values } },
  } satisfies Partial<BlockAction> | JsonRecord;
}

/** https://docs.slack.dev/reference/interaction-payloads/block_suggestion-payload */
export function blockSuggestion(pressed: Pressed, element: JsonRecord, blockId: string, typed: string): JsonRecord {
  const at = { action_id: String(element['action_id']), block_id: blockId, value: typed };
  const common = {
    type: 'block_suggestion' as const,
    ...old,
    ...outsideGrid,
    team: { id: team_id, domain },
    ...at,
  };
  if ('view' in pressed) {
    const { view, user } = pressed;
    return { ...common, user: person(user), container: { type: 'view', view_id: view.id }, view: viewObject(view) };
  }
  const { message, act } = pressed;
  const container = {
    type: 'message',
    message_ts: message.ts,
    channel_id: message.channel,
    is_ephemeral: message.viewer !== undefined,
  };
  return { ...common, user: person(act.user), channel: place(act.conversation), container } satisfies BlockSuggestion;
}

/** https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload#view_submission */
export function viewSubmission(slack: Workspace, view: SlackView, values: JsonRecord): JsonRecord {
  const common = {
    type: 'view_submission',
    ...old,
    ...outsideGrid,
    team: { id: team_id, domain },
    enterprise: null,
  };
  return {
    ...{ ...common, user: person(view.user), trigger_id: slack.newTrigger(view.user, view.id) },
    ...{ view: viewObject(view, values), response_urls: [] },
  } satisfies Record<keyof Omit<ViewSubmitAction, 'enterprise'>, unknown> & JsonRecord;
}

/** https://docs.slack.dev/reference/interaction-payloads/shortcuts-interaction-payload#message_actions */
export function messageShortcut(slack: Workspace, act: Act, message: SlackMessage, callbackId: string): JsonRecord {
  return {
    ...{ type: 'message_action', ...old, ...outsideGrid, callback_id: callbackId, action_ts: slack.newTs() },
    ...{ team: { id: team_id, domain }, user: person(act.user), channel: place(act.conversation) },
    ...{ trigger_id: slack.newTrigger(act.user), response_url: act.responseUrl, message_ts: message.ts },
    message: { ...messageObject(message), type: 'message', ts: message.ts },
  } satisfies MessageShortcut & JsonRecord;
}

/** https://docs.slack.dev/apis/events-api#callback-field */
export function eventCallback(slack: Workspace, event: JsonRecord): JsonRecord {
  const authorization = {
    enterprise_id: null,
    team_id,
    user_id: app.userId,
    is_bot: true,
    is_enterprise_install: false,
  };
  return {
    ...{ ...old, team_id, context_team_id: team_id, context_enterprise_id: null, type: 'event_callback', event },
    ...{ event_id: `Ev0${slack.next()}`, event_time: Math.floor(Date.now() / 1000), authorizations: [authorization] },
    ...{ is_ext_shared_channel: false, event_context: `4-event-${slack.next()}` },
  };
}

type Typed = {
  readonly user: string;
  readonly channel: string;
  readonly text: string;
  readonly ts: string;
  readonly threadTs?: string;
};

/** The blocks in which Slack's own editor sends what a person types. */
function typedBlocks(text: string) {
  const section = { type: 'rich_text_section' as const, elements: [{ type: 'text' as const, text }] };
  return [{ type: 'rich_text' as const, block_id: 'typed', elements: [section] }];
}

/** https://docs.slack.dev/reference/events/app_mention */
export function mentionEvent({ user, channel, text, ts, threadTs }: Typed) {
  return {
    ...{ type: 'app_mention', user, channel, text, ts, event_ts: ts, client_msg_id: `m-${ts}`, team: team_id },
    ...{ blocks: typedBlocks(text), ...(threadTs !== undefined && { thread_ts: threadTs }) },
  } satisfies AppMentionEvent;
}

/** https://docs.slack.dev/reference/events/message.im */
export function directEvent({ user, channel, text, ts, threadTs }: Typed) {
  return {
    ...{ type: 'message', subtype: undefined, channel_type: 'im', user, channel, text, ts, event_ts: ts },
    ...{ client_msg_id: `m-${ts}`, team: team_id, blocks: typedBlocks(text) },
    ...(threadTs !== undefined && { thread_ts: threadTs }),
  } satisfies GenericMessageEvent;
}

/** https://docs.slack.dev/reference/events/message.im: the app hears of its own messages, too. */
export function ownMessageEvent(message: SlackMessage): JsonRecord {
  return { ...messageObject(message), channel: message.channel, channel_type: 'im', event_ts: message.ts };
}

/** https://docs.slack.dev/reference/events/message/message_changed */
export function changedEvent(slack: Workspace, message: SlackMessage): JsonRecord {
  const ts = slack.newTs();
  const edited = {
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    channel: message.channel,
    channel_type: 'im',
  };
  return { ...edited, ts, event_ts: ts, message: messageObject(message), previous_message: messageObject(message) };
}

/** https://docs.slack.dev/reference/events/app_home_opened */
export function homeOpened(slack: Workspace, user: string, tab: 'home' | 'messages', view?: SlackView) {
  const event = {
    type: 'app_home_opened',
    user,
    channel: slack.directIdOf(user),
    tab,
    event_ts: slack.newTs(),
  } as const;
  return { ...event, ...(view && { view: viewObject(view) }) } satisfies Omit<AppHomeOpenedEvent, 'view'> & JsonRecord;
}
