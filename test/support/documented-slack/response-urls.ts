/** Addresses for answers to what a person did, and the answers that a slash command takes in its acknowledgement. */
import { isRecord, type JsonRecord } from '../../../src/shared/json.ts';
import { messageLimits } from './contract/block-limits.ts';
import { messageProblems } from './contract/block-rules.ts';
import { addMessage } from './methods.ts';
import { refuseProblems, SlackError } from './refusals.ts';
import { named, type SlackMessage, type Workspace } from './workspace.ts';

/** Path prefixes that Slack documents: of slash commands, of presses and of shortcuts. */
export type ResponseKind = 'commands' | 'actions' | 'app';

export type ResponseUrl = {
  readonly path: string;
  readonly user: string;
  readonly channel: string;
  /** The message that was pressed, or the first answer to a command. */
  original: SlackMessage | undefined;
  uses: number;
  readonly at: number;
};

const usesMax = 5;
const lifetimeMs = 30 * 60_000;

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses and the message payload's fields. */
const known = [
  'text',
  'blocks',
  'attachments',
  'response_type',
  'replace_original',
  'delete_original',
  'thread_ts',
  'mrkdwn',
  'metadata',
  'unfurl_links',
  'unfurl_media',
];

export function createResponseUrls(slack: Workspace) {
  const urls = new Map<string, ResponseUrl>();
  return {
    create: (kind: ResponseKind, of: Pick<ResponseUrl, 'user' | 'channel' | 'original'>): ResponseUrl => {
      const path = `/${kind}/${slack.next()}/${'r'.repeat(24)}${slack.next()}`;
      const url = { ...of, path, uses: 0, at: Date.now() };
      urls.set(path, url);
      return url;
    },
    has: (path: string): boolean => urls.has(path),
    /** @throws SlackError if Slack refuses it */
    respond: (path: string, payload: unknown): void => {
      const url = urls.get(path);
      if (!url || Date.now() - url.at > lifetimeMs) throw new SlackError('expired_url');
      url.uses += 1;
      if (url.uses > usesMax) throw new SlackError('used_url');
      answerIn(slack, url, payload);
    },
  };
}

/** @throws SlackError if Slack would not show it */
export function answerIn(slack: Workspace, url: ResponseUrl, payload: unknown): void {
  const answer = typeof payload === 'string' ? { text: payload } : payload;
  if (!isRecord(answer)) throw new SlackError('invalid_payload');
  const unknown = Object.keys(answer).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new SlackError('invalid_payload', { unknown });
  if (answer['delete_original'] === true) {
    if (url.original) url.original.isDeleted = true;
    slack.changed();
    return;
  }
  check(answer);
  const { response_type: type = 'ephemeral', replace_original: isReplacing } = answer;
  const viewer = type === 'in_channel' ? undefined : url.user;
  if (isReplacing === true && url.original) {
    replace(slack, url.original, answer, type);
    return;
  }
  const message = addMessage(slack, answer, { channel: url.channel, viewer, files: [] });
  url.original ??= message;
}

function check({ text, blocks, attachments, response_type: type }: JsonRecord): void {
  if (text === undefined && blocks === undefined && attachments === undefined) throw new SlackError('no_text');
  if (typeof text === 'string' && text.length > messageLimits.textUnits) throw new SlackError('msg_too_long');
  if (type !== undefined && type !== 'ephemeral' && type !== 'in_channel') throw new SlackError('invalid_payload');
  refuseProblems('invalid_blocks', messageProblems(blocks));
}

/** An ephemeral message stays one: Slack cannot show it to the channel by replacing it. */
function replace(slack: Workspace, message: SlackMessage, answer: JsonRecord, type: unknown): void {
  if (message.viewer !== undefined && type === 'in_channel') throw new SlackError('invalid_payload');
  message.text = String(answer['text'] ?? '');
  message.blocks = named(answer['blocks'], slack);
  slack.show({ message });
}
