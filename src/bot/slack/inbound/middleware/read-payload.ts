/** Reads Slack's payloads: the person, the place and the input. No other file knows their shapes. */
import { hash } from 'node:crypto';
import type { Context } from '@slack/bolt';
import { type JsonRecord, readRecord, readText } from '../../../../shared/json.ts';
import type { Visibility } from '../../../commands/framework/command.ts';
import { type Actor, isChannelId, type Person } from '../../../domain/person.ts';
import { parseCommandActionId, parseSearchActionId } from '../../../views/blocks/command-button.ts';
import { type ExternalSource, parseExternalSelectActionId } from '../../../views/blocks/inputs.ts';

/** Fields of an event that the bot reads. */
export type EventArgs = { readonly event: unknown; readonly context: Context };

/** https://docs.slack.dev/reference: the first letter is the kind. Other values never reach a map, a path or a query. */
const idShapes = {
  team: /^[TE][A-Z0-9]{1,30}$/,
  workspace: /^T[A-Z0-9]{1,30}$/,
  enterprise: /^E[A-Z0-9]{1,30}$/,
  user: /^[UW][A-Z0-9]{1,30}$/,
} as const;

/** @param teamId from the context that `authorize` made, never from the payload's values */
export function readPerson(teamId: unknown, userId: unknown): Person | undefined {
  return isId('team', teamId) && isId('user', userId) ? { teamId, userId } : undefined;
}

function readActor(teamId: unknown, userId: unknown, channelId: unknown): Actor | undefined {
  const person = readPerson(teamId, userId);
  return person && isChannelId(channelId) ? { ...person, channelId } : undefined;
}

function isId(kind: keyof typeof idShapes, value: unknown): value is string {
  return typeof value === 'string' && idShapes[kind].test(value);
}

/** @param value from a body that Slack signed; only its shape is checked */
export function isTeamId(value: unknown): value is string {
  return isId('team', value);
}

/** @returns false for an organization, which is no workspace */
export function isWorkspaceId(value: unknown): value is string {
  return isId('workspace', value);
}

export function isEnterpriseId(value: unknown): value is string {
  return isId('enterprise', value);
}

export function readCommand(body: JsonRecord, teamId: unknown) {
  return {
    actor: readActor(teamId, body['user_id'], body['channel_id']),
    line: typedText(readText(body, 'text') ?? ''),
    responseUrl: readText(body, 'response_url'),
    /** Opens one modal, within three seconds. */
    triggerId: readText(body, 'trigger_id'),
  };
}

export type TypedMessage = NonNullable<ReturnType<typeof readTypedMessage>>;

/** @returns undefined for a message that no person typed to the bot: other bots' messages, edits, joins */
export function readTypedMessage(event: JsonRecord, teamId: unknown) {
  const actor = readActor(teamId, event['user'], event['channel']);
  const [text, ts] = [readText(event, 'text'), readText(event, 'ts')];
  if (!actor || isOthers(event) || text === undefined || ts === undefined) return undefined;
  const line = typedText(text.replace(/^\s*<@[UW][A-Z0-9]{1,30}(?:\|[^>]*)?>/, ''));
  return { actor, line, ts, threadTs: readText(event, 'thread_ts') };
}

function isOthers(event: JsonRecord): boolean {
  return event['bot_id'] !== undefined || event['subtype'] !== undefined;
}

/** @returns the place for an answer to a mention or a direct message whose workspace is unknown */
export function readAddressed(event: JsonRecord) {
  const [userId, channelId, type] = [event['user'], event['channel'], event['type']];
  const isDirect = type === 'message' && event['channel_type'] === 'im';
  if (!(type === 'app_mention' || isDirect) || isOthers(event)) return undefined;
  if (!isId('user', userId) || !isChannelId(channelId)) return undefined;
  return { userId, channelId, threadTs: readText(event, 'thread_ts') };
}

/**
 * https://docs.slack.dev/reference/events/link_shared
 * @returns the addresses exactly as in the message; undefined for a link in a message that is still being written: its readers are not known yet
 */
export function readSharedLinks(event: JsonRecord, teamId: unknown) {
  const actor = readActor(teamId, event['user'], event['channel']);
  const [links, messageTs] = [event['links'], readText(event, 'message_ts')];
  if (!actor || !Array.isArray(links) || messageTs === undefined || event['source'] === 'composer') return undefined;
  const urls = links.map((link) => readText(readRecord(link), 'url')).filter((url) => url !== undefined);
  return { actor, messageTs, urls: [...new Set(urls)] };
}

export type RequestedDetails = {
  readonly person: Person;
  /** Undefined if the preview was opened outside of a conversation. */
  readonly actor: Actor | undefined;
  readonly triggerId: string;
  readonly postedUrl: string;
  readonly url: string;
};

/** https://docs.slack.dev/reference/events/entity_details_requested */
export function readRequestedDetails(event: JsonRecord, teamId: unknown): RequestedDetails | undefined {
  const person = readPerson(teamId, event['user']);
  const url = readText(event, 'entity_url') ?? readText(readRecord(event['link']), 'url');
  const triggerId = readText(event, 'trigger_id');
  if (!person || triggerId === undefined || url === undefined) return undefined;
  const postedUrl = readText(event, 'app_unfurl_url') ?? url;
  return { person, actor: readActor(teamId, event['user'], event['channel']), triggerId, postedUrl, url };
}

export type Shortcut = ReturnType<typeof readShortcut>;

export function readShortcut(body: JsonRecord, teamId: unknown) {
  const message = readRecord(body['message']);
  return {
    actor: readActor(teamId, readRecord(body['user'])['id'], readRecord(body['channel'])['id']),
    executionId: readExecutionId(message),
    /** The words of the message, without Slack's markup. */
    text: readWords(message),
    /** The message, or the root of its thread. */
    anchorTs: readText(message, 'thread_ts') ?? readText(message, 'ts'),
    responseUrl: readText(body, 'response_url'),
  };
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const buttonUuid = new RegExp(`"execution (${uuid.source})"`, 'i');
const executionId = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/i;

/** Finds the id in a button of the bot's own message, or anywhere in another message, alone or in a link. */
function readExecutionId(message: JsonRecord): string | undefined {
  const written = JSON.stringify([message['text'], message['blocks'], message['attachments']]);
  return buttonUuid.exec(written)?.[1] ?? executionId.exec(written)?.[0] ?? uuid.exec(written)?.[0];
}

/** @returns every text of the message, its blocks and its attachments */
function readWords(message: JsonRecord): string {
  const texts: string[] = [];
  JSON.stringify([message['text'], message['blocks'], message['attachments']], (key, value: unknown) => {
    if (typeof value === 'string' && !/(?:_id|^type|^value|^url)$/.test(key)) texts.push(value);
    return value;
  });
  return texts.map((text) => text.replace(/[*`~<>|]/g, ' ')).join('\n');
}

/** The message that has the pressed button or menu. */
export type PressedMessage = {
  readonly ts: string;
  readonly visibility: Visibility;
  readonly threadTs: string | undefined;
  /** Person who shared it in the channel, if it was shared. */
  readonly sharedBy: string | undefined;
};

/** Reads a press. A menu carries its line in the chosen option, a button in its value. */
export function readClick(body: JsonRecord, action: JsonRecord, teamId: unknown) {
  const container = readRecord(body['container']);
  const channelId = readText(readRecord(body['channel']), 'id') ?? readText(container, 'channel_id');
  const userId = readRecord(body['user'])['id'];
  return {
    actor: readActor(teamId, userId, channelId),
    /** Person who pressed in their Home tab, outside of any channel. */
    atHome: readRecord(body['view'])['type'] === 'home' ? readPerson(teamId, userId) : undefined,
    mode: parseCommandActionId(readText(action, 'action_id') ?? ''),
    line: readText(action, 'value') ?? readText(readRecord(action['selected_option']), 'value'),
    responseUrl: readText(body, 'response_url'),
    triggerId: readText(body, 'trigger_id'),
    /** Undefined in a modal or on the Home tab. */
    message: readMessage(container, readRecord(body['message'])),
  };
}

/** @param message of the bot @returns the command line of the answer, by its button to refresh or share it; undefined if it has none */
export function readAnsweredLine(message: JsonRecord): string | undefined {
  const blocks = Array.isArray(message['blocks']) ? message['blocks'].map(readRecord) : [];
  const elements = blocks.flatMap(({ elements: all }) => (Array.isArray(all) ? all.map(readRecord) : []));
  const isOfAnswer = (mode: string | undefined) => mode === 'refresh' || mode === 'share';
  const button = elements.find((each) => isOfAnswer(parseCommandActionId(readText(each, 'action_id') ?? '')));
  return button && readText(button, 'value');
}

/** Slack leaves `message` out for a message that only one person sees. */
function readMessage(container: JsonRecord, message: JsonRecord): PressedMessage | undefined {
  const ts = readText(container, 'message_ts') ?? readText(message, 'ts');
  if (ts === undefined) return undefined;
  const isEphemeral = container['is_ephemeral'] === true || message['is_ephemeral'] === true;
  return {
    ts,
    visibility: isEphemeral ? 'ephemeral' : 'channel',
    threadTs: readText(container, 'thread_ts') ?? readText(message, 'thread_ts'),
    sharedBy: readSharer(message['blocks']),
  };
}

export type MenuQuery = {
  /** A modal and the Home tab belong to no channel. */
  readonly person: Person | Actor;
  readonly typed: string;
  /** The kind of options of an input, or the command line for the chosen workflow. */
  readonly menu: ExternalSource | ((uuid: string) => string);
};

/** Text typed into a menu that loads its options. */
export function readMenuQuery(body: JsonRecord, teamId: unknown): MenuQuery | undefined {
  const actionId = readText(body, 'action_id') ?? '';
  const menu = parseSearchActionId(actionId) ?? parseExternalSelectActionId(actionId);
  const userId = readRecord(body['user'])['id'];
  const channelId = readRecord(body['channel'])['id'] ?? readRecord(body['container'])['channel_id'];
  const person = readActor(teamId, userId, channelId) ?? readPerson(teamId, userId);
  return menu && person && { person, typed: readText(body, 'value') ?? '', menu };
}

/** The block that says who shared a message; kept when the message is replaced. */
export const sharedByBlockId = 'shared_by';

function readSharer(blocks: unknown): string | undefined {
  const block = (Array.isArray(blocks) ? blocks : [])
    .map(readRecord)
    .find((each) => each['block_id'] === sharedByBlockId);
  const [element] = Array.isArray(block?.['elements']) ? block['elements'] : [];
  return /<@([UW][A-Z0-9]{1,30})(?:\|[^>]*)?>/.exec(readText(readRecord(element), 'text') ?? '')?.[1];
}

/**
 * @returns the id that stays the same when Slack repeats a delivery. A trigger is unique at Slack but perhaps not at a
 *   compatible server, so the id includes what was typed or pressed.
 */
export function readDeliveryId(body: JsonRecord): string | undefined {
  const id = readText(body, 'trigger_id', 'event_id');
  if (id === undefined) return undefined;
  const [action] = Array.isArray(body['actions']) ? body['actions'] : [];
  const pressedAt = readText(readRecord(action), 'action_ts');
  const whole = JSON.stringify([id, body['response_url'], body['text'], pressedAt]);
  // A hash, because the text may be long and many ids are kept.
  return hash('sha256', whole, 'base64url');
}

/** @returns the typed text; a channel stays `<#C…|name>`, since a command may want its id (`typedMentions` has its name) */
export function typedText(text: string): string {
  return text.replace(/<([^<>]*)>|&(?:amp|lt|gt);/g, (found, inside: string | undefined) =>
    inside === undefined ? unescaped(found) : typedToken(found, inside),
  );
}

function typedToken(found: string, inside: string): string {
  const bar = inside.indexOf('|');
  const target = unescaped(bar < 0 ? inside : inside.slice(0, bar));
  const label = unescaped(bar < 0 ? '' : inside.slice(bar + 1));
  switch (target[0]) {
    case '#':
      return unescaped(found);
    case '@':
      return label === '' ? unescaped(found) : `@${label.replace(/^@/, '')}`;
    case '!':
      if (label !== '') return label;
      return /^!(?:here|channel|everyone)$/.test(target) ? `@${target.slice(1)}` : unescaped(found);
    default:
      if (!/^[a-z][a-z0-9+.-]*:/i.test(target)) return unescaped(found);
      return label === '' || (!isAutomatic(target, label) && containsId(target)) ? target : label;
  }
}

/** @returns true if Slack made the link from typed text, so that the label is that text */
function isAutomatic(target: string, label: string): boolean {
  const [one, other] = [target, label].map((text) =>
    text.replace(/^(?:https?:\/\/|mailto:|tel:)/i, '').replace(/\/$/, ''),
  );
  return one === other;
}

/** @returns true for a page of the platform that a person linked with a label of their own */
function containsId(target: string): boolean {
  return /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{64}/i.test(target);
}

/** Slack escapes these three, once. */
function unescaped(text: string): string {
  return text.replace(/&(?:amp|lt|gt);/g, (entity) => (entity === '&lt;' ? '<' : entity === '&gt;' ? '>' : '&'));
}
