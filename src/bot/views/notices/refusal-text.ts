/** Says why a digest was not posted, and the next step, for each error code of Slack and of the bot. */

export type RefusalText = {
  /** Completes a sentence that names the digest. */
  readonly reason: string;
  /** A sentence. */
  readonly step: string;
};

const invite = 'Type /invite in that channel and choose the bot.';
const elsewhere = 'Choose another channel for the digest.';
const adminsPost = 'Ask a workspace admin to let the bot post there, or choose another channel for the digest.';
const install = 'Ask a workspace admin to install the bot again and allow all permissions.';
const operator = 'Tell the person who runs this bot: its log has the details.';

type Row = readonly [errors: string, reason: string, step?: string];

/** Errors of the bot, then https://docs.slack.dev/reference/methods/chat.postMessage#errors; without a step if they pass by themselves. */
const rows: readonly Row[] = [
  [
    'unauthorized',
    'the query service refuses this workspace’s API key',
    'Ask a workspace admin or bot admin to connect the workspace with a new key.',
  ],
  [
    'not_connected',
    'this workspace is not connected to a query service',
    'Ask a workspace admin or bot admin to connect it.',
  ],
  [
    'not_listed',
    'this workspace’s query service is not on the bot’s list of allowed services',
    'Ask a workspace admin or bot admin to connect it to an allowed one.',
  ],
  ['channel_is_shared', 'people from another company can read the channel', elsewhere],
  [
    'sharing_needs_scopes',
    'the bot lacks permissions to find out whether people from another company can read the channel',
    install,
  ],
  [
    'sharing_unknown',
    'the bot could not find out whether people from another company can read the channel, because Slack did not answer',
    'Try again in a minute.',
  ],
  ['unavailable', 'the query service does not answer'],
  ['rate_limited', 'the query service asked the bot to wait'],
  ['workspace_lookup_failed store_slow intent_too_old', 'the bot’s database does not answer in time'],
  ['payload_of_another_version', 'it was prepared by another version of the bot and waits for that version'],
  ['internal', 'the bot had an error'],
  ['too_late', 'it could not be posted for 6 hours'],
  ['away', 'the bot or its database was down at the due time or for 6 hours after'],
  ['too_many_messages', 'the channel has too many messages of that time to check them all'],
  ['no_ts unmarked unknown possibly_repeated replies_not_shown', 'Slack did not confirm the post'],
  ['slack_is_down look_up_took_too_long time_out no_answer', 'Slack does not answer'],
  ['ratelimited', 'Slack asked the bot to wait'],
  ['org_login_required', 'the workspace is being migrated to a Slack organization'],
  [
    'not_installed account_inactive token_revoked token_expired invalid_auth',
    'the bot is not installed in this workspace any more, or Slack does not accept its token',
    'Ask a workspace admin to install the bot again.',
  ],
  ['not_in_channel', 'the bot is not a member of the channel', invite],
  [
    'channel_not_found sharing_needs_membership',
    'the channel does not exist any more, or is private and the bot is not a member',
    `${invite} If the channel is gone, choose another one for the digest.`,
  ],
  [
    'is_archived',
    'the channel is archived',
    'Unarchive it and /invite the bot again, because Slack removes it from an archived channel; or choose another channel for the digest.',
  ],
  ['restricted_action', 'the workspace’s settings let only some people post in the channel', adminsPost],
  ['restricted_action_read_only_channel', 'the channel is read-only', adminsPost],
  ['restricted_action_non_threadable_channel', 'the channel does not allow threads', elsewhere],
  ['restricted_action_thread_only_channel', 'the channel allows only replies in threads', elsewhere],
  ['restricted_action_thread_locked', 'its thread is locked', adminsPost],
  [
    'no_permission',
    'the bot is not allowed to post in the channel',
    `${invite} If it is a member, ask a workspace admin.`,
  ],
  ['access_denied', 'the bot is not allowed to post in the channel', adminsPost],
  ['not_allowed_token_type missing_scope', 'the bot lacks permissions', install],
  ['not_authed as_user_not_supported', 'Slack rejected it because of a mistake in the bot', operator],
  ['ekm_access_denied', 'admins of your Slack organization have suspended posting', 'Ask them to allow it again.'],
  ['enterprise_is_restricted', 'Slack does not allow this post in an Enterprise organization', operator],
  [
    'team_access_not_granted',
    'your Slack organization has not added the bot to this workspace',
    'Ask an admin of your Slack organization to add it.',
  ],
  [
    'message_limit_exceeded',
    'the workspace has reached its limit of messages',
    'Ask a workspace admin about the workspace’s plan.',
  ],
  ['messages_tab_disabled', 'direct messages with the bot are switched off', elsewhere],
  ['user_not_found', 'Slack does not know this person', elsewhere],
];

const rowByError = new Map(rows.flatMap((row) => row[0].split(' ').map((error) => [error, row] as const)));

/** @param error reason of a paused subscription: an error code of Slack or of the bot */
export function refusalText(error: string): RefusalText {
  const [, , step = 'Check that the bot is a member of the channel and allowed to post there.'] =
    rowByError.get(error) ?? [];
  return { reason: attemptReason(error), step };
}

/** @param error of any attempt, or after `history_` that of the look for an unconfirmed post */
export function attemptReason(error: string): string {
  const [, look] = error.split('history_');
  if (look !== undefined) return `the bot could not check the channel for the post, because ${attemptReason(look)}`;
  return rowByError.get(error)?.[1] ?? `Slack returned an error (${error})`;
}
