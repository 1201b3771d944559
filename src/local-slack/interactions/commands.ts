/** Slash commands: runs Slack's own, sends the others to the app, and shows the acknowledgement. */
import { isRecord } from '../../shared/json.ts';
import { slackbotId } from '../page/protocol.ts';
import type { LocalSlack } from '../server/local-slack.ts';
import { postResponse } from '../server/response-url.ts';
import { isEmpty, Refused, readContent } from '../state/content.ts';
import type { SlackMessage } from '../state/history.ts';
import { channelNameForApps, isExternal } from '../state/workspace.ts';
import { changeMembers } from './channels.ts';
import { escapeText } from './escape-text.ts';
import { carryOut, findInvoker, type Invoker, sendToApp } from './invoke.ts';

export type TypedMessage = {
  readonly user: string;
  readonly channel: string;
  /** Includes the slash command. */
  readonly text: string;
  /** The thread it was typed in; null for the channel itself. */
  readonly threadTs?: string | null;
};

type Answered = {
  /** The message in the acknowledgement; null for none. */
  readonly message: SlackMessage | null;
  /** Empty for Slack's own commands. */
  readonly responseUrl: string;
  readonly afterMs: number;
};

const notCommand = (word: string) =>
  `\`${word}\` is not a valid command. In Slack, all messages that start with the "/" character are interpreted as ` +
  'commands.\n\nIf you are trying to send a message and not run a command, try preceding the "/" with an empty space.';

/** @throws Refused, with Slackbot's message about the failure where there is one */
export async function runCommand(typed: TypedMessage, slack: LocalSlack): Promise<Answered> {
  const invoker = findInvoker(slack.workspaces.all, typed.user, typed.channel);
  if (!invoker) throw new Refused('channel_not_found');
  if (!invoker.isMember) throw new Refused('not_in_channel');
  if (invoker.channel.isArchived) throw new Refused('is_archived');
  const [word = ''] = /^\S+/.exec(typed.text) ?? [];
  const rest = typed.text.slice(word.length).trimStart();
  const refusal = (error: string, text: string) => {
    return new Refused(error, [], { message: postAsSlackbot(invoker, text, typed.threadTs ?? null) });
  };
  const problem = changeMembers(word, rest, invoker, slack);
  if (problem === null) return { message: null, responseUrl: '', afterMs: 0 };
  if (problem !== undefined) throw refusal('invalid_arguments', problem);
  // https://docs.slack.dev/apis/slack-connect: people of another company have no commands of the app.
  const hasCommand = invoker.workspace.installation.isInstalled() && !isExternal(invoker.workspace, invoker.person);
  if (word !== slack.app.slashCommand || !hasCommand) {
    throw refusal('not_a_command', notCommand(escapeText(word, invoker.workspace, 'message')));
  }
  if (typed.threadTs) throw refusal('not_in_threads', `${word} is not supported in threads. Sorry!`);
  const { workspace, person, channel } = invoker;
  const place = { workspace, userId: person.id, channelId: channel.id };
  const responseUrl = slack.responseUrls.issue({ ...place, kind: 'commands', originalTs: null });
  const payload = commandPayload(invoker, word, rest.trim(), responseUrl, slack);
  try {
    const envelope = { type: 'slash_commands', payload, acceptsResponsePayload: true } as const;
    const { payload: answer, afterMs } = await sendToApp(workspace, envelope, slack);
    const show = () => showAcknowledgement(answer, invoker, typed.text);
    const message = carryOut('invalid_command_response', slack, show);
    if (message) slack.responseUrls.adopt(responseUrl, message);
    return { message, responseUrl, afterMs };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw refusal(error.message, `${word} failed with the error "${error.message}"`);
  }
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
    trigger_id: slack.triggers.issue({ workspace, userId: person.id }),
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
): SlackMessage {
  return workspace.history.post({ channel: channel.id, threadTs, user: slackbotId, text, viewer: person.id });
}
