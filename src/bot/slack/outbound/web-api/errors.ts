/** Classifies Slack's errors, and describes errors and the lines of Slack's libraries for the log. */
import { LogLevel, type Logger as SdkLogger } from '@slack/bolt';
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { readNetworkFailure } from '../../../../shared/http/network-failure.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import { safeBeginning } from '../../../../shared/redaction/redact.ts';
import { outsideError } from '../../../views/format/outside-text.ts';
import { WithheldError } from './audience.ts';

export type Failure = {
  readonly kind: FailureClass;
  /** Slack's own word, such as `invalid_blocks`, or one of the bot; safe to log. */
  readonly error: string;
  /** Wait that Slack asked for. */
  readonly retryAfterMs?: number;
};

/** @param error the `error` of an answer with `ok: false`, or a page of HTML */
export function classifySlackError(error: string): Failure {
  if (!/^[a-z0-9_:.-]{1,80}$/i.test(error)) return { kind: 'unknown', error: 'not_an_answer_of_slack' };
  return { error, ...errorRow(error) };
}

/** Longer values are mistakes, such as a date instead of a duration. */
const retryAfterMsMax = 3_600_000;

/** Slack calls a token expired and has done nothing, and no new token is available now. */
export class TokenNotRenewed extends Error {
  override readonly name = 'TokenNotRenewed';
}

/** @param thrown by @slack/web-api or by fetch */
export function classifyThrown(thrown: unknown): Failure {
  if (thrown instanceof WithheldError) return { kind: 'permanent', error: thrown.word };
  // The SDK also throws this error for `{}`.
  if (thrown instanceof WebAPIPlatformError) return classifySlackError(String(thrown.data.error ?? ''));
  if (thrown instanceof WebAPIRateLimitedError) {
    return {
      kind: 'not_sent',
      error: 'ratelimited',
      retryAfterMs: Math.min(thrown.retryAfter * 1000, retryAfterMsMax),
    };
  }
  if (thrown instanceof WebAPIHTTPError) return classifyStatus(thrown.statusCode);
  if (originalOf(thrown) instanceof TokenNotRenewed) return { kind: 'not_sent', error: 'token_not_renewed' };
  const { code, kind } = readNetworkFailure(thrown);
  if (kind === 'not_sent') return { kind, error: code ?? 'no_answer' };
  return { kind: 'unknown', error: code ?? (isTimeout(thrown) ? 'time_out' : 'no_answer') };
}

/** @param status of an answer without an error word from Slack */
export function classifyStatus(status: number): Failure {
  const error = `http_${status}`;
  if (status >= 500 || status === 408) return { kind: 'unknown', error };
  return { kind: status === 425 || status === 429 ? 'not_sent' : 'permanent', error };
}

/** Slack refuses the token, not the call: also for an address that the workspace does not allow, so it may pass. */
const tokenRefusals = new Set(['account_inactive', 'invalid_auth', 'token_expired', 'token_revoked']);

export function isTokenRefusal(error: string): boolean {
  return tokenRefusals.has(error);
}

/** @returns true if Slack or the network failed, false if only this call did */
export function isOutage({ error }: Failure): boolean {
  return /^(?:http_5\d\d|no_answer|not_an_answer_of_slack|time_out|[A-Z][A-Z0-9_]+)$/.test(error);
}

function isTimeout(thrown: unknown): boolean {
  const error = originalOf(thrown);
  return error instanceof Error && error.name === 'TimeoutError';
}

function originalOf(thrown: unknown): unknown {
  return thrown instanceof WebAPIRequestError ? thrown.original : thrown;
}

const readUnitsMax = 10_000;
/** The mark of a masked value may contain a blank. */
const address =
  /\b((?:https?|wss?):\/\/)(?:(?:\[[^\]\n]{1,40}\]|[^\s/@[]){0,300}@)?([^\s/?#"'<>]+)(?:\[[^\]\n]{1,40}\]|[^\s"'<>[])*/gi;
const detailUnitsMax = 300;

/** @returns one line for the log: no token, no address beyond its host, no page of HTML */
export function describe(thrown: unknown): string {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return describeText(text);
}

/** As `describe`, for a sentence from the SDK. */
export function describeText(text: string): string {
  const hostsOnly = safeBeginning(text, readUnitsMax)
    .replace(/<[!a-z].*/is, '(a page of HTML)')
    .replace(address, '$1$2/…');
  return outsideError(hostsOnly, detailUnitsMax);
}

/** The only debug line without parts of a payload. */
const harmlessDetail = /^apiCall\('[\w.]+'\) (?:start|end)$/;

/**
 * Slack's libraries log whole envelopes, tokens and texts at debug level.
 * @returns a logger that passes only harmless debug lines and masks the other lines
 */
export function createSdkLog(log: Logger): SdkLogger {
  const fields = (parts: readonly unknown[]) => ({ detail: parts.map(wordsOf).join(' ') });
  return {
    debug: (...parts) => {
      const [line] = parts;
      if (typeof line === 'string' && harmlessDetail.test(line)) log.debug(fields([line]), 'slack library detail');
    },
    info: (...parts) => log.info(fields(parts), 'slack library info'),
    warn: (...parts) => log.warn(fields(parts), 'slack library warns'),
    error: (...parts) => log.error(fields(parts), 'slack library reports an error'),
    getLevel: () => LogLevel.INFO,
    // The bot sets the level, and several SDK objects share one logger.
    setLevel: () => undefined,
    setName: () => undefined,
  };
}

function wordsOf(value: unknown): string {
  if (typeof value === 'string') return describeText(value);
  return value instanceof Error ? describe(value) : typeof value;
}

/**
 * Slack's documented errors of every Web API method that the bot calls, and the meaning of each for a message. They
 * come from the error tables of docs.slack.dev/reference/methods (auth, chat, conversations, files, oauth, users,
 * views) and of incoming webhooks, whose errors a response_url shares.
 */
/**
 * `content`: a simpler message may pass. `not_sent`: certainly nothing was posted; the same message may be sent again.
 * `unknown`: it may have been posted. `permanent`: repeating it cannot help.
 */
export type FailureClass = 'content' | 'not_sent' | 'unknown' | 'permanent';

type ErrorRow = {
  readonly kind: FailureClass;
  /** The wait after which a retry may succeed, for an error that passes by itself. */
  readonly retryAfterMs?: number;
};

const secondMs = 1_000;
const hourMs = 3_600_000;

const rows: Readonly<Record<FailureClass, string>> = {
  content: `
    attachment_payload_limit_exceeded block_mismatch invalid_arguments invalid_attachments invalid_block invalid_blocks
    invalid_blocks_format invalid_charset invalid_metadata_format invalid_metadata_schema invalid_payload markdown_text_conflict
    metadata_must_be_sent_from_app metadata_too_large missing_file_data msg_blocks_too_long msg_too_long no_text
    slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked slack_connect_lists_sharing_blocked
    too_many_attachments too_many_contact_cards`,
  // Slack documents that the call may have had an effect, or gives no detail.
  unknown: `
    duplicate_channel_not_found duplicate_message_not_found fatal_error file_update_failed internal_error request_timeout
    rollup_error service_unavailable team_not_found update_failed`,
  not_sent:
    'external_channel_migrating org_login_required rate_limited ratelimited streaming_state_conflict team_added_to_org',
  permanent: `
    access_denied accesslimited account_inactive action_prohibited alt_txt_too_large app_cannot_join_channel as_user_not_supported
    bad_client_secret bad_redirect_uri cannot_install_an_org_installed_app cannot_reply_to_message cant_broadcast_message
    cant_delete_file cant_delete_message cant_update_message channel_is_archived channel_is_limited_access channel_not_found
    channels_limit_exceeded compliance_exports_prevent_deletion deprecated_endpoint duplicate_external_id edit_window_closed
    ekm_access_denied enterprise_is_restricted exchanged_trigger_id expired_trigger_id expired_url file_deleted file_not_found
    file_upload_size_restricted file_uploads_disabled hash_conflict invalid_arg_name invalid_array_arg invalid_auth invalid_channel
    invalid_client_id invalid_code invalid_cursor invalid_form_data invalid_grant_type invalid_json invalid_metadata_filter_keys
    invalid_post_type invalid_refresh_token invalid_token invalid_trigger_id invalid_ts_latest invalid_ts_oldest
    invalid_user_combination is_archived is_inactive json_not_object message_limit_exceeded message_not_found messages_tab_disabled
    method_deprecated method_not_supported_for_channel_type missing_argument missing_charset missing_post_type missing_profile_id
    missing_scope no_dual_broadcast_content_update no_permission no_scopes no_service no_team not_allowed_token_type not_authed
    not_enabled not_enough_users not_implemented not_in_channel oauth_authorization_url_mismatch posting_to_channel_denied
    posting_to_general_channel_denied preview_feature_not_available push_limit_reached restricted_action
    restricted_action_non_threadable_channel restricted_action_read_only_channel restricted_action_thread_locked
    restricted_action_thread_only_channel snippet_too_large storage_limit_reached team_access_not_granted team_disabled
    thread_not_found token_expired token_revoked too_many_users two_factor_setup_required unknown_method unknown_snippet_type
    unknown_subtype used_url user_disabled user_email_unverified user_not_found user_not_in_channel user_not_visible
    users_list_not_supplied view_not_found view_too_large`,
};

/** A second if Slack asks for a pause without its length; an hour if a workspace or a channel is being moved. */
const waitMsByError: Readonly<Record<string, number>> = {
  ratelimited: secondMs,
  rate_limited: secondMs,
  streaming_state_conflict: secondMs,
  org_login_required: hourMs,
  team_added_to_org: hourMs,
  external_channel_migrating: hourMs,
};

const kinds = ['content', 'unknown', 'not_sent', 'permanent'] as const satisfies readonly FailureClass[];
const kindByError = new Map(
  kinds.flatMap((kind) =>
    rows[kind]
      .trim()
      .split(/\s+/)
      .map((error) => [error, kind] as const),
  ),
);

/** Parts of new error names that indicate a failure of Slack's. */
const soundsBroken =
  /(?:^|_)(?:timeout|timed_out|unavailable|internal|server|unknown_error|temporarily|temporary|try_again|retry|overloaded)(?:_|$)/;

/** @param error Slack's word @returns `permanent` for an unknown word, unless it sounds like a failure of Slack's own */
function errorRow(error: string): ErrorRow {
  const kind = kindByError.get(error) ?? (soundsBroken.test(error) ? 'unknown' : 'permanent');
  const retryAfterMs = Object.hasOwn(waitMsByError, error) ? waitMsByError[error] : undefined;
  return { kind, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}
