/** A person in the documented Slack, who types, presses, chooses and submits; each act waits for its acknowledgement. */
import { type JsonRecord, readRecord } from '../../../../src/shared/json.ts';
import type { Delivery } from '../delivery.ts';
import * as payloads from '../payloads.ts';
import { SlackError } from '../refusals.ts';
import { answerIn, type ResponseKind } from '../response-urls.ts';
import { createSender } from '../sender.ts';
import type { DocumentedSlack } from '../server.ts';
import { answerSubmission } from '../views.ts';
import { app, type Shown, type SlackMessage, type SlackView } from '../workspace.ts';
import { elementsOf } from './block-rules.ts';

/** Text for an input of a form, by its block id, where neither an initial value nor the first option will do. */
export type Inputs = Readonly<Record<string, string>>;

export type Member = ReturnType<typeof createMember>;

export type Element = {
  readonly blockId: string;
  readonly element: JsonRecord;
  /** True if Slack sends it only with the form. */
  readonly isInput: boolean;
  /** True if Slack does not send the form without it. */
  readonly isNeeded: boolean;
};

/** @returns the elements of a message or a view that a person can press or choose in */
export function elementsIn(shown: Shown): readonly Element[] {
  const blocks = 'message' in shown ? shown.message.blocks : shown.view.view['blocks'];
  return (Array.isArray(blocks) ? blocks : []).map(readRecord).flatMap((block) => {
    const isInput = block['type'] === 'input' && block['dispatch_action'] !== true;
    const at = { blockId: String(block['block_id']), isInput, isNeeded: isInput && block['optional'] !== true };
    return elementsOf(block).map((element) => ({ ...at, element }));
  });
}

/** @param id of the person, such as `U0ADA` */
export function createMember(slack: DocumentedSlack, delivery: Delivery, id: string, channel: string) {
  const { workspace, responseUrls, origin } = slack;
  const { send, apply } = createSender(slack, delivery);
  const actIn = (kind: ResponseKind, at: string, original: SlackMessage | undefined) => {
    const url = responseUrls.create(kind, { user: id, channel: at, original });
    const conversation = workspace.find(at);
    if (!conversation) throw new Error(`There is no conversation ${at}.`);
    return { url, act: { user: id, conversation, responseUrl: origin + url.path } };
  };
  const pressedIn = (shown: Shown): payloads.Pressed =>
    'view' in shown
      ? { view: shown.view, user: id }
      : { message: shown.message, act: actIn('actions', shown.message.channel, shown.message).act };
  const say = (at: string, text: string, threadTs?: string) => {
    const typed = { user: id, channel: at, text, ts: workspace.newTs(), ...(threadTs !== undefined && { threadTs }) };
    const none = { blocks: [], metadata: undefined, viewer: undefined, files: [], isDeleted: false };
    workspace.messages.push({ ...typed, ...none, threadTs, author: id });
    return typed;
  };
  /** @param times how often Slack delivers it, as if the first acknowledgements were lost */
  const hear = async (event: JsonRecord, times = 1) => {
    const callback = payloads.eventCallback(workspace, event);
    const what = `the event ${event['type']}`;
    for (let attempt = 0; attempt < times; attempt += 1) await send(what, 'events_api', callback, attempt);
  };
  const suggest = async (
    shown: Shown,
    { blockId, element }: Element,
    typed: string,
  ): Promise<readonly JsonRecord[]> => {
    const what = `the menu ${element['action_id']}`;
    const answer = readRecord(
      await send(what, 'interactive', payloads.blockSuggestion(pressedIn(shown), element, blockId, typed)),
    );
    const options = Array.isArray(answer['options']) ? answer['options'].map(readRecord) : [];
    apply(what, () => checkOptions(answer, options));
    return options;
  };
  const choose = async (shown: Shown, at: Element, typed = ''): Promise<JsonRecord> => {
    const external = String(at.element['type']).endsWith('external_select')
      ? await suggest(shown, at, typed)
      : undefined;
    return stateOf(at.element, { external, typed, channel });
  };
  return {
    id,
    channel,
    type: async (line: string, at = channel) => {
      const { url, act } = actIn('commands', at, undefined);
      const what = `/workflow ${line}`;
      const answer = await send(what, 'slash_commands', payloads.slashCommand(workspace, act, line));
      if (answer !== undefined) apply(what, () => answerIn(workspace, url, answer));
    },
    mention: async (
      line: string,
      { times, threadTs }: { readonly times?: number; readonly threadTs?: string } = {},
    ) => {
      await hear(payloads.mentionEvent(say(channel, `<@${app.userId}> ${line}`, threadTs)), times);
    },
    direct: async (line: string, threadTs?: string) => {
      await hear(payloads.directEvent(say(workspace.directIdOf(id), line, threadTs)));
    },
    openHome: async () => {
      const view = workspace.views.find((each) => each.user === id && each.view['type'] === 'home');
      await hear(payloads.homeOpened(workspace, id, 'home', view));
    },
    openMessages: () => hear(payloads.homeOpened(workspace, id, 'messages')),
    /** Writes into the channel, where the app does not listen. */
    write: (text: string): SlackMessage => {
      const { ts } = say(channel, text);
      const [message] = workspace.messages.filter((each) => each.ts === ts);
      if (!message) throw new Error('A message was not kept.');
      return message;
    },
    event: hear,
    shortcut: async (message: SlackMessage, callbackId: string) => {
      const { act } = actIn('app', message.channel, message);
      await send(
        `the shortcut ${callbackId}`,
        'interactive',
        payloads.messageShortcut(workspace, act, message, callbackId),
      );
    },
    suggest,
    /** Presses a button, or chooses the first option that there is. */
    press: async (shown: Shown, at: Element, typed = '') => {
      const { element, blockId } = at;
      const { type, action_id, text, value, style } = element;
      const pressed =
        type === 'button'
          ? { text, ...(value !== undefined && { value }), ...(style !== undefined && { style }) }
          : await choose(shown, at, typed);
      const action = { ...pressed, type, action_id, block_id: blockId, action_ts: workspace.newTs() };
      await send(`${action_id}`, 'interactive', payloads.blockActions(workspace, pressedIn(shown), action));
    },
    /** Submits a form with its initial values, the given ones, and otherwise the first options. */
    submit: async (view: SlackView, inputs: Inputs = {}) => {
      const values: Record<string, JsonRecord> = {};
      for (const at of elementsIn({ view }).filter(({ isInput }) => isInput)) {
        const { blockId, element, isNeeded } = at;
        const state = await choose({ view }, at, inputs[blockId]);
        if (isNeeded && isEmpty(state)) throw new Error(`The form asks for ${blockId}.`);
        values[blockId] = { [String(element['action_id'])]: state };
      }
      const what = `the form ${view.view['callback_id']}`;
      const answer = await send(what, 'interactive', payloads.viewSubmission(workspace, view, values));
      apply(what, () => answerSubmission(workspace, view, answer));
    },
  };
}

/** https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element#external_select */
function checkOptions(answer: JsonRecord, options: readonly JsonRecord[]): void {
  const isFine =
    options.length <= 100 &&
    options.every(({ text, value, ...rest }) => {
      const { type, text: words } = readRecord(text);
      const isText = type === 'plain_text' && typeof words === 'string' && words.length >= 1 && words.length <= 75;
      const isValue = typeof value === 'string' && value.length >= 1 && value.length <= 150;
      return isText && isValue && Object.keys(rest).every((name) => name === 'description');
    });
  const isKnown = Object.keys(answer).every((name) => name === 'options' || name === 'option_groups');
  if (!isFine || !isKnown) throw new SlackError('invalid_options', { answer });
}

type Choice = {
  readonly external: readonly JsonRecord[] | undefined;
  readonly typed: string;
  /** The person's own, chosen in a menu of conversations. */
  readonly channel: string;
};

/**
 * https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload#view_submission: the state of an
 * element, which a press of it carries as well.
 */
function stateOf(element: JsonRecord, { external, typed, channel }: Choice): JsonRecord {
  const { type, options, initial_option: option, initial_options: several } = element;
  const [first = null] = external ?? (Array.isArray(options) ? options : []);
  switch (type) {
    case 'static_select':
    case 'external_select':
    case 'radio_buttons':
    case 'overflow':
      return { type, selected_option: option ?? first };
    case 'multi_static_select':
    case 'multi_external_select':
    case 'checkboxes':
      return { type, selected_options: several ?? external?.slice(0, 1) ?? [] };
    case 'conversations_select':
      return { type, selected_conversation: typed || (element['initial_conversation'] ?? channel) };
    case 'multi_conversations_select':
      return { type, selected_conversations: element['initial_conversations'] ?? [] };
    case 'channels_select':
      return { type, selected_channel: element['initial_channel'] ?? channel };
    case 'multi_channels_select':
      return { type, selected_channels: element['initial_channels'] ?? [] };
    case 'users_select':
      return { type, selected_user: element['initial_user'] ?? null };
    case 'multi_users_select':
      return { type, selected_users: element['initial_users'] ?? [] };
    case 'timepicker':
      return { type, selected_time: element['initial_time'] ?? null };
    case 'datepicker':
      return { type, selected_date: element['initial_date'] ?? null };
    case 'datetimepicker':
      return { type, selected_date_time: element['initial_date_time'] ?? null };
    case 'plain_text_input':
    case 'number_input':
    case 'url_text_input':
    case 'email_text_input':
      return { type, value: typed === '' ? (element['initial_value'] ?? null) : typed };
    default:
      throw new Error(`No person has used a ${String(type)} here yet.`);
  }
}

function isEmpty({ type: _, ...state }: JsonRecord): boolean {
  return Object.values(state).every(
    (each) => each === null || each === '' || (Array.isArray(each) && each.length === 0),
  );
}
