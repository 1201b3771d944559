/** What Slack's refusals of a post mean to the people of a channel, and the next step. */

export type RefusalWords = {
  /** Ends a sentence that began with what did not come. */
  readonly reason: string;
  /** A sentence. */
  readonly step: string;
};

const notThere = 'Type /invite in that channel and choose me.';
const elsewhere = 'Move the digest to another channel, or remove it.';
const adminsPost = 'Ask an admin to let me post there, or move the digest to another channel.';
const install = 'Ask an admin to install me again: that grants what is missing.';

/** https://docs.slack.dev/reference/methods/chat.postMessage#errors, and `channel_is_shared`, which is ours. */
const words: ReadonlyMap<string, RefusalWords> = new Map([
  ['not_in_channel', { reason: 'I am not a member of it', step: notThere }],
  [
    'channel_not_found',
    { reason: 'it is gone, or private without me', step: `${notThere} If it is gone: ${elsewhere.toLowerCase()}` },
  ],
  ['is_archived', { reason: 'it is archived', step: `Bring it back from the archive. Or: ${elsewhere.toLowerCase()}` }],
  ['channel_is_shared', { reason: 'people of another company read it, too', step: elsewhere }],
  ['restricted_action', { reason: 'the workspace’s settings let only some people post there', step: adminsPost }],
  ['restricted_action_read_only_channel', { reason: 'it is read-only', step: adminsPost }],
  ['restricted_action_non_threadable_channel', { reason: 'it takes no threads', step: elsewhere }],
  ['restricted_action_thread_locked', { reason: 'its thread is locked', step: adminsPost }],
  ['no_permission', { reason: 'I may not post there', step: adminsPost }],
  ['not_allowed_token_type', { reason: 'I lack a permission', step: install }],
  ['missing_scope', { reason: 'I lack a permission', step: install }],
  [
    'ekm_access_denied',
    { reason: 'your organization has suspended access to its messages', step: 'Ask an admin of your organization.' },
  ],
  [
    'org_login_required',
    { reason: 'your organization is being moved to another plan', step: 'Slack takes messages again when it is done.' },
  ],
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
]);

/** @param error Slack's word */
export function refusalWords(error: string): RefusalWords {
  return (
    words.get(error) ?? {
      reason: 'Slack refuses it',
      step: 'Check that I am a member of the channel and may post there.',
    }
  );
}
