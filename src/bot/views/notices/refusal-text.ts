/** Says why a digest was not posted, and the next step, for each error code of Slack and of the bot. */

export type RefusalText = {
  /** Completes a sentence that names the digest. */
  readonly reason: string;
  /** A sentence. */
  readonly step: string;
};

const invite = 'Type /invite in that channel and choose me.';
const elsewhere = 'Move the digest to another channel, or remove it.';
const adminsPost = 'Ask an admin to let me post there, or move the digest to another channel.';
const install = 'Ask an admin to install me again: that grants what is missing.';
const organization = 'Ask an admin of your organization.';

const removed = { reason: 'I was removed from this workspace', step: 'Ask an admin to install me again.' };
const forbidden = { reason: 'I may not post in the channel', step: adminsPost };
const unpermitted = { reason: 'I lack a permission', step: install };
const faulty = {
  reason: 'Slack took it for a fault of mine',
  step: 'Tell the operator of this bot: my log says more.',
};

/** https://docs.slack.dev/reference/methods/chat.postMessage#errors; ours are the first six. */
const words: ReadonlyMap<string, RefusalText> = new Map([
  [
    'unauthorized',
    {
      reason: 'the query service refuses this workspace’s API key',
      step: 'Ask an admin of this bot to connect the workspace with a new key.',
    },
  ],
  [
    'not_connected',
    {
      reason: 'this workspace is not connected to a query service',
      step: 'Ask an admin of this bot to connect it.',
    },
  ],
  ['channel_is_shared', { reason: 'people of another company read the channel, too', step: elsewhere }],
  [
    'sharing_needs_scopes',
    {
      reason: 'I lack the permissions to find out whether people of another company read the channel',
      step: install,
    },
  ],
  [
    'sharing_unknown',
    {
      reason: 'I could not find out whether people of another company read the channel, because Slack did not say',
      step: 'Try again in a minute.',
    },
  ],
  ['not_installed', removed],
  ['not_in_channel', { reason: 'I am not a member of the channel', step: invite }],
  [
    'channel_not_found',
    {
      reason: 'the channel is gone, or private without me',
      step: `${invite} If it is gone: ${elsewhere.toLowerCase()}`,
    },
  ],
  [
    'is_archived',
    {
      reason: 'the channel is archived',
      step: 'Bring it back from the archive and /invite me again, since Slack forgets who was in it; or move the digest to another channel.',
    },
  ],
  [
    'restricted_action',
    { reason: 'the workspace’s settings let only some people post in the channel', step: adminsPost },
  ],
  ['restricted_action_read_only_channel', { reason: 'the channel is read-only', step: adminsPost }],
  ['restricted_action_non_threadable_channel', { reason: 'the channel takes no threads', step: elsewhere }],
  ['restricted_action_thread_only_channel', { reason: 'the channel takes replies alone', step: elsewhere }],
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
  ['ekm_access_denied', { reason: 'your organization has suspended access to its messages', step: organization }],
  ['enterprise_is_restricted', { reason: 'your organization does not let me post', step: organization }],
  [
    'team_access_not_granted',
    {
      reason: 'your organization has not given me this workspace',
      step: 'Ask an admin of your organization to add me to it.',
    },
  ],
  [
    'message_limit_exceeded',
    { reason: 'the workspace has reached its limit of messages', step: 'Ask an admin about the workspace’s plan.' },
  ],
  ['messages_tab_disabled', { reason: 'direct messages with me are switched off', step: elsewhere }],
  ['user_not_found', { reason: 'Slack knows no such person', step: elsewhere }],
]);

/** Errors that disappear by themselves. */
const passing: ReadonlyMap<string, string> = new Map([
  ['ratelimited', 'Slack asks to wait'],
  ['slack_is_down', 'Slack does not answer'],
  ['look_up_took_too_long', 'Slack does not answer'],
  ['workspace_not_at_hand', 'my own database does not answer'],
  ['no_ts', 'Slack did not say whether it took it'],
  ['too_many_messages', 'too much was said in the channel at that time to look through it all'],
  ['time_out', 'Slack does not answer'],
  ['no_answer', 'Slack does not answer'],
  ['org_login_required', 'your organization is being moved to another plan'],
  ['unavailable', 'the query service does not answer'],
  ['rate_limited', 'the query service asks to wait'],
  ['internal', 'a fault of mine, which is in my log'],
  ['too_late', 'it could not be posted for 6 hours'],
  ['away', 'I was away when it was due and for 6 hours after'],
]);

/** @param error reason of a paused subscription: an error code of Slack or of the bot */
export function refusalText(error: string): RefusalText {
  return (
    words.get(error) ?? {
      reason: `Slack refuses it (${error})`,
      step: 'Check that I am a member of the channel and may post there.',
    }
  );
}

/** @param error of any attempt @returns its text; the code itself if it has none */
export function attemptReason(error: string): string {
  return words.get(error)?.reason ?? passing.get(error) ?? error;
}
