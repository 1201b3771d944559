/** Classification of Slack's documented errors for every method that the bot calls: https://docs.slack.dev/reference/methods. */
import { describe, expect, it, test } from 'vitest';
import type { FailureClass } from '../../../../../src/bot/domain/slack-errors.ts';
import { classifySlackError, classifyStatus } from '../../../../../src/bot/slack/outbound/web-api/errors.ts';
import { digest, startScriptedPosting } from '../../../../support/bot/posting-bot.ts';

const documented: Readonly<Record<string, Partial<Record<FailureClass, string>>>> = {
  'every method': {
    unknown: 'fatal_error internal_error request_timeout service_unavailable',
    not_sent: 'ratelimited org_login_required team_added_to_org',
    content: 'invalid_arguments invalid_charset',
    permanent:
      'access_denied accesslimited account_inactive deprecated_endpoint ekm_access_denied enterprise_is_restricted invalid_arg_name invalid_array_arg invalid_auth invalid_form_data invalid_post_type method_deprecated missing_post_type missing_scope no_permission not_allowed_token_type not_authed team_access_not_granted token_expired token_revoked two_factor_setup_required',
  },
  'chat.postMessage': {
    unknown: 'duplicate_channel_not_found duplicate_message_not_found team_not_found',
    not_sent: 'rate_limited',
    content:
      'attachment_payload_limit_exceeded invalid_blocks invalid_blocks_format invalid_metadata_format invalid_metadata_schema markdown_text_conflict metadata_must_be_sent_from_app metadata_too_large missing_file_data msg_blocks_too_long no_text slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked slack_connect_lists_sharing_blocked too_many_attachments too_many_contact_cards',
    permanent:
      'as_user_not_supported cannot_reply_to_message channel_not_found is_archived message_limit_exceeded messages_tab_disabled not_in_channel restricted_action restricted_action_non_threadable_channel restricted_action_read_only_channel restricted_action_thread_locked restricted_action_thread_only_channel',
  },
  'chat.postEphemeral': { content: 'invalid_attachments msg_too_long', permanent: 'user_not_in_channel' },
  'chat.update': {
    unknown: 'update_failed',
    not_sent: 'external_channel_migrating streaming_state_conflict',
    content: 'block_mismatch',
    permanent: 'cant_update_message edit_window_closed is_inactive message_not_found no_dual_broadcast_content_update',
  },
  'files.completeUploadExternal': {
    unknown: 'file_update_failed',
    permanent: 'channels_limit_exceeded file_not_found invalid_channel posting_to_channel_denied',
  },
  'files.getUploadURLExternal': {
    permanent: 'alt_txt_too_large file_upload_size_restricted file_uploads_disabled storage_limit_reached',
  },
  'conversations.history': {
    permanent: 'channel_is_limited_access invalid_cursor invalid_ts_latest invalid_ts_oldest',
  },
  'conversations.open': { permanent: 'app_cannot_join_channel user_disabled user_not_found user_not_visible' },
  'views.open': { permanent: 'duplicate_external_id exchanged_trigger_id expired_trigger_id view_too_large' },
  'oauth.v2.access': { permanent: 'bad_client_secret invalid_client_id invalid_code invalid_refresh_token' },
  'incoming webhooks and response_url': {
    unknown: 'rollup_error',
    content: 'invalid_payload',
    permanent:
      'action_prohibited channel_is_archived no_service no_team posting_to_general_channel_denied used_url expired_url',
  },
};

describe.each(Object.entries(documented))('of %s', (_method, classes) => {
  const words = Object.entries(classes).flatMap(([kind, list]) => list.split(' ').map((error) => [error, kind]));
  it.each(words)('%s is %s', (error, kind) => {
    expect(classifySlackError(error ?? '').kind).toBe(kind);
  });
});

test.each([
  ['server_error', 'unknown'],
  ['temporarily_unavailable', 'unknown'],
  ['operation_timeout', 'unknown'],
  ['channel_frozen_by_policy', 'permanent'],
  ['__proto__', 'permanent'],
  ['constructor', 'permanent'],
  ['<html>', 'unknown'],
])('the undocumented error %s is %s', (error, kind) => {
  expect(classifySlackError(error)).toMatchObject({ kind });
});

test.each([
  [400, 'permanent'],
  [404, 'permanent'],
  [408, 'unknown'],
  [429, 'not_sent'],
  [502, 'unknown'],
])('HTTP %i is %s', (status, kind) => {
  expect(classifyStatus(status).kind).toBe(kind);
});

test.each(['rollup_error', 'update_failed', 'internal_error'])(
  'a digest that Slack answers with %s may have been posted',
  async (error) => {
    const { digests, slack, target } = await startScriptedPosting();
    slack.script('chat.postMessage', { body: { ok: false, error } });
    expect(await digests.send(target, digest, 'd1')).toEqual({ kind: 'unknown', error });
  },
);
