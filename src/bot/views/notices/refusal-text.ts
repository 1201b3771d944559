/** Says why a digest was not posted, and the next step, for each error code of Slack and of the bot. */

export type RefusalText = {
  /** Completes a sentence that names the digest. */
  readonly reason: string;
  /** A sentence. */
  readonly step: string;
};

const invite = 'Type /invite in that channel and choose the bot.';
const elsewhere = 'Move the digest to another channel, or remove it.';
const adminsPost = 'Ask a workspace admin to let the bot post there, or move the digest to another channel.';
const install = 'Ask a workspace admin to install the bot again: that grants what is missing.';
const organization = 'Ask an admin of your Slack organization.';

const removed = {
  reason: 'the bot was removed from this workspace',
  step: 'Ask a workspace admin to install the bot again.',
};
const hidden = {
  reason: 'the channel does not exist any more, or is private and the bot is not a member',
  step: `${invite} If it does not exist any more: ${elsewhere.toLowerCase()}`,
};
const forbidden = { reason: 'the bot is not allowed to post in the channel', step: adminsPost };
const unpermitted = { reason: 'the bot lacks a permission', step: install };
const faulty = {
  reason: 'Slack rejected it as the bot’s mistake',
  step: 'Tell the person who runs this bot: its log has the details.',
};

/** https://docs.slack.dev/reference/methods/chat.postMessage#errors; ours are the first six. */
const words: ReadonlyMap<string, RefusalText> = new Map([
  [
    'unauthorized',
    {
      reason: 'the query service refuses this workspace’s API key',
      step: 'Ask a workspace admin or another bot admin to connect the workspace with a new key.',
    },
  ],
  [
    'not_connected',
    {
      reason: 'this workspace is not connected to a query service',
      step: 'Ask a workspace admin or another bot admin to connect it.',
    },
  ],
  ['channel_is_shared', { reason: 'people from another company can read the channel', step: elsewhere }],
  [
    'sharing_needs_scopes',
    {
      reason: 'the bot lacks permissions to find out whether people from another company can read the channel',
      step: install,
    },
  ],
  [
    'sharing_unknown',
    {
      reason:
        'the bot could not find out whether people from another company can read the channel, because Slack did not answer',
      step: 'Try again in a minute.',
    },
  ],
  ['not_installed', removed],
  ['not_in_channel', { reason: 'the bot is not a member of the channel', step: invite }],
  ['channel_not_found', hidden],
  ['sharing_needs_membership', hidden],
  [
    'is_archived',
    {
      reason: 'the channel is archived',
      step: 'Unarchive it and /invite the bot again, because Slack removes it from an archived channel; or move the digest to another channel.',
    },
  ],
  [
    'restricted_action',
    { reason: 'the workspace’s settings let only some people post in the channel', step: adminsPost },
  ],
  ['restricted_action_read_only_channel', { reason: 'the channel is read-only', step: adminsPost }],
  ['restricted_action_non_threadable_channel', { reason: 'the channel does not allow threads', step: elsewhere }],
  ['restricted_action_thread_only_channel', { reason: 'the channel allows only replies in threads', step: elsewhere }],
  ['restricted_action_thread_locked', { reason: 'its thread is locked', step: adminsPost }],
  ['no_permission', forbidden],
  ['access_denied', forbidden],
  ['not_allowed_token_type', unpermitted],
  ['missing_scope', unpermitted],
  ['account_inactive', removed],
  ['token_revoked', removed],
  ['token_expired', removed],
  ['invalid_auth', removed],
  ['not_authed', faulty],
  ['as_user_not_supported', faulty],
  ['ekm_access_denied', { reason: 'your Slack organization has suspended access to its messages', step: organization }],
  ['enterprise_is_restricted', { reason: 'your Slack organization does not let the bot post', step: organization }],
  [
    'team_access_not_granted',
    {
      reason: 'your Slack organization has not added the bot to this workspace',
      step: 'Ask an admin of your Slack organization to add it.',
    },
  ],
  [
    'message_limit_exceeded',
    {
      reason: 'the workspace has reached its limit of messages',
      step: 'Ask a workspace admin about the workspace’s plan.',
    },
  ],
  ['messages_tab_disabled', { reason: 'direct messages with the bot are switched off', step: elsewhere }],
  ['user_not_found', { reason: 'Slack does not know this person', step: elsewhere }],
]);

/** Errors that disappear by themselves. */
const passing: ReadonlyMap<string, string> = new Map([
  ['ratelimited', 'Slack asked the bot to wait'],
  ['slack_is_down', 'Slack does not answer'],
  ['look_up_took_too_long', 'Slack does not answer'],
  ['workspace_lookup_failed', 'the bot’s database does not answer'],
  ['no_ts', 'Slack did not confirm the post'],
  ['too_many_messages', 'the channel has too many messages of that time to check them all'],
  ['time_out', 'Slack does not answer'],
  ['no_answer', 'Slack does not answer'],
  ['org_login_required', 'your Slack organization is being moved to another plan'],
  ['unavailable', 'the query service does not answer'],
  ['rate_limited', 'the query service asked the bot to wait'],
  ['internal', 'the bot had an error'],
  ['too_late', 'it could not be posted for 6 hours'],
  ['away', 'the bot was not running when it was due and for 6 hours after'],
]);

/** @param error reason of a paused subscription: an error code of Slack or of the bot */
export function refusalText(error: string): RefusalText {
  return (
    words.get(error) ?? {
      reason: `Slack returned an error (${error})`,
      step: 'Check that the bot is a member of the channel and allowed to post there.',
    }
  );
}

/** @param error of any attempt @returns its text; the code itself if it has none */
export function attemptReason(error: string): string {
  return words.get(error)?.reason ?? passing.get(error) ?? error;
}
