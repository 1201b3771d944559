/**
 * The table of Slack's error words: the class of each, and what else it says. It has the errors that docs.slack.dev
 * documents for the methods that the bot calls and for incoming webhooks, whose errors a response_url shares, and the
 * bot's own words for failed calls. A word whose class is not listed is `permanent`.
 */

/**
 * `content`: a simpler message may pass. `not_sent`: certainly nothing was posted; the same message may be sent again.
 * `unknown`: it may have been posted. `permanent`: repeating it cannot help.
 */
export type FailureClass = 'content' | 'not_sent' | 'unknown' | 'permanent';

/** A call to Slack that failed. */
export type Failure = {
  readonly kind: FailureClass;
  /** Slack's own word, such as `invalid_blocks`, or one of the bot; safe to log. */
  readonly error: string;
  /** The wait that Slack asked for, or after which a retry may succeed. */
  readonly retryAfterMs?: number;
};

type ErrorRow = Omit<Failure, 'error'>;

const words = (list: string) => list.trim().split(/\s+/);

const classes: readonly (ErrorRow & { readonly errors: readonly string[] })[] = [
  {
    kind: 'content',
    errors: words(`
      attachment_payload_limit_exceeded block_mismatch invalid_arguments invalid_attachments invalid_block invalid_blocks
      invalid_blocks_format invalid_charset invalid_metadata_format invalid_metadata_schema invalid_payload
      markdown_text_conflict metadata_must_be_sent_from_app metadata_too_large missing_file_data msg_blocks_too_long
      msg_too_long no_text slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked
      slack_connect_lists_sharing_blocked too_many_attachments too_many_contact_cards`),
  },
  {
    // Slack documents that the call may have had an effect, or gives no detail.
    kind: 'unknown',
    errors: words(`
      duplicate_channel_not_found duplicate_message_not_found fatal_error file_update_failed internal_error
      request_timeout rollup_error service_unavailable team_not_found update_failed`),
  },
  // Slack asks for a pause without its length.
  { kind: 'not_sent', retryAfterMs: 1_000, errors: words('ratelimited rate_limited streaming_state_conflict') },
  // A workspace or a channel is being moved.
  {
    kind: 'not_sent',
    retryAfterMs: 3_600_000,
    errors: words('external_channel_migrating org_login_required team_added_to_org'),
  },
];

const rowByError = new Map(classes.flatMap(({ errors, ...row }) => errors.map((error) => [error, row] as const)));

/** Parts of new error names that indicate a failure of Slack's. */
const soundsBroken =
  /(?:^|_)(?:timeout|timed_out|unavailable|internal|server|unknown_error|temporarily|temporary|try_again|retry|overloaded)(?:_|$)/;

/** @param error Slack's word @returns `unknown` for a word that is not listed but sounds like a failure of Slack's own */
export function classOf(error: string): ErrorRow {
  return rowByError.get(error) ?? { kind: soundsBroken.test(error) ? 'unknown' : 'permanent' };
}

const meanings = {
  /** Slack refuses the token, not the call: also for an address that the workspace does not allow, so it may pass. */
  token_refused: words('account_inactive invalid_auth token_expired token_revoked'),
  /** After Slack reported that tokens were revoked: the bot was removed. */
  token_removed: words('account_inactive token_revoked'),
  /** The whole workspace has to wait, not one channel or this process. */
  rate_limited: words('ratelimited rate_limited'),
  /** Slack answered tables with `internal_error` for a while (soxtoby/SlackNet#246): a message without them may pass. */
  fails_on_blocks: words('fatal_error http_500 http_504 internal_error request_timeout time_out'),
  /** Slack refuses the metadata by which a message is found again. */
  metadata_refused: words(
    'invalid_metadata_format invalid_metadata_schema metadata_must_be_sent_from_app metadata_too_large',
  ),
  /** The thread takes no reply any more. */
  thread_closed: words(`
    cannot_reply_to_message message_not_found restricted_action_non_threadable_channel restricted_action_thread_locked
    thread_not_found`),
  /** The bot cannot write a thread here: because of the channel, or of the thread that it replies to. */
  channel_closed: words(`
    cannot_reply_to_message channel_not_found is_archived not_in_channel restricted_action
    restricted_action_non_threadable_channel restricted_action_read_only_channel restricted_action_thread_locked
    restricted_action_thread_only_channel thread_not_found`),
  /** The message was deleted, or another app wrote it. */
  message_gone: words('cant_update_message message_not_found'),
  file_gone: words('file_deleted file_not_found'),
  /** The workspace does not list this person. */
  person_unknown: words('user_not_found user_not_visible'),
  /** The bot's own: nothing was posted because Slack did not say who reads the channel. */
  audience_unknown: words('sharing_needs_scopes sharing_unknown'),
} as const;

/** @param error Slack's word, or one of the bot's; null if there was none */
export function errorMeans(error: string | null | undefined, meaning: keyof typeof meanings): boolean {
  return typeof error === 'string' && meanings[meaning].includes(error);
}
