/** Slash commands: runs Slack's own, sends the others to the app, and shows the acknowledgement. */

import type { KnownBlock } from '@slack/types';
import { isRecord } from '../../shared/json.ts';
import { slackbotId } from '../page/protocol.ts';
import type { LocalSlack } from '../server/local-slack.ts';
import { postResponse } from '../server/response-url.ts';
import { isEmpty, readContent } from '../state/content.ts';
import type { SlackMessage } from '../state/history.ts';
import { channelNameForApps, isExternal } from '../state/workspace.ts';
import { archive, changeMembers } from './channels.ts';
import { escapeText } from './escape-text.ts';
import { carryOut, findInvoker, type Invoker, outcomeOf, sendToApp } from './invoke.ts';

export type TypedMessage = {
  readonly user: string;
  readonly channel: string;
  /** Includes the slash command. */
  readonly text: string;
  /** The thread it was typed in; null for the channel itself. */
  readonly threadTs?: string | null;
};

export type CommandResult = (
  | {
      readonly ok: true;
      /** Empty for Slack's own commands. */
      readonly responseUrl: string;
      readonly afterMs: number;
    }
  | { readonly ok: false; readonly error: string }
) & {
  /** The message in the acknowledgement, or Slackbot's message about the failure; null for none. */
  readonly message: SlackMessage | null;
};

const notCommand = (word: string) =>
  `\`${word}\` is not a valid command. In Slack, all messages that start with the "/" character are interpreted as ` +
  'commands.\n\nIf you are trying to send a message and not run a command, try preceding the "/" with an empty space.';

export async function runCommand(typed: TypedMessage, slack: LocalSlack): Promise<CommandResult> {
  const invoker = findInvoker(slack.workspaces.all, typed.user, typed.channel);
  if (!invoker) return { ok: false, error: 'channel_not_found', message: null };
  if (!invoker.isMember) return { ok: false, error: 'not_in_channel', message: null };
  if (invoker.channel.isArchived) return { ok: false, error: 'is_archived', message: null };
  const [word = ''] = /^\S+/.exec(typed.text) ?? [];
  const rest = typed.text.slice(word.length).trimStart();
  const refuse = (error: string, text: string): CommandResult => {
    const message = postAsSlackbot(invoker, text, typed.threadTs ?? null);
    return { ok: false, error, message };
  };
  const problem = runSlacksOwn(word, rest, invoker, slack);
  if (problem === null) return { ok: true, message: null, responseUrl: '', afterMs: 0 };
  if (problem !== undefined) return refuse('invalid_arguments', problem);
  // https://docs.slack.dev/apis/slack-connect: people of another company have no commands of the app.
  const hasCommand = invoker.workspace.installation.isInstalled() && !isExternal(invoker.workspace, invoker.person);
  if (word !== slack.app.slashCommand || !hasCommand) {
    return refuse('not_a_command', notCommand(escapeText(word, invoker.workspace, 'message')));
  }
  if (typed.threadTs) return refuse('not_in_threads', `${word} is not supported in threads. Sorry!`);
  const { workspace, person, channel } = invoker;
  const invocation = {
    workspace,
    userId: person.id,
    channelId: channel.id,
    kind: 'commands',
    originalTs: null,
  } as const;
  const responsePath = slack.responseUrls.issue(invocation);
  const responseUrl = slack.baseUrl + responsePath;
  const payload = commandPayload(invoker, word, rest.trim(), responseUrl, slack);
  const send = async () => {
    const envelope = { type: 'slash_commands', payload, acceptsResponsePayload: true } as const;
    const { payload: answer, afterMs } = await sendToApp(workspace, envelope, slack);
    const show = () => showAcknowledgement(answer, invoker, typed.text);
    return { message: carryOut('invalid_command_response', slack, show), responseUrl, afterMs };
  };
  const outcome = await outcomeOf(send());
  if (!outcome.ok) return refuse(outcome.error, `${word} failed with the error "${outcome.error}"`);
  if (outcome.message) slack.responseUrls.adopt(responsePath, outcome.message);
  return outcome;
}

/** @returns as `changeMembers` */
function runSlacksOwn(word: string, rest: string, invoker: Invoker, slack: LocalSlack): string | null | undefined {
  return word === '/archive' ? archive(invoker) : changeMembers(word, rest, invoker, slack);
}

function commandPayload(
  { workspace, person, channel }: Invoker,
  command: string,
  text: string,
  responseUrl: string,
  slack: LocalSlack,
) {
  return {
    token: slack.app.verificationToken,
    team_id: workspace.teamId,
    team_domain: workspace.domain,
    channel_id: channel.id,
    channel_name: channelNameForApps(channel),
    user_id: person.id,
    user_name: person.name,
    command,
    text: escapeText(text, workspace, 'command'),
    api_app_id: slack.app.id,
    is_enterprise_install: String(workspace.servingOrganization !== null),
    ...(workspace.organization && {
      enterprise_id: workspace.organization.id,
      enterprise_name: workspace.organization.name,
    }),
    response_url: responseUrl,
    trigger_id: slack.triggers.issue({ workspace, userId: person.id, channelId: channel.id, viewId: null }),
  };
}

/** An empty acknowledgement shows nothing; `in_channel` also shows the typed command. */
function showAcknowledgement(payload: unknown, invoker: Invoker, typed: string): SlackMessage | null {
  if (!isRecord(payload) || Object.keys(payload).length === 0) return null;
  const content = readContent(payload);
  const { workspace, person, channel } = invoker;
  if (payload['response_type'] === 'in_channel') {
    const text = escapeText(typed, workspace, 'message');
    workspace.history.post({ channel: channel.id, user: person.id, text });
  }
  if (isEmpty(content)) return null;
  return postResponse({ workspace, channelId: channel.id, userId: person.id }, payload, content);
}

/** Posts an ephemeral message from Slackbot. */
export function postAsSlackbot(
  { workspace, person, channel }: Invoker,
  text: string,
  threadTs: string | null,
  blocks: readonly KnownBlock[] = [],
): SlackMessage {
  return workspace.history.post({ channel: channel.id, threadTs, user: slackbotId, text, blocks, viewer: person.id });
}
