/** Messages to the owner of a digest. */
import { expect, it } from 'vitest';
import { classifySlackError } from '../../../../src/bot/slack/outbound/web-api/errors.ts';
import {
  type DigestProblem,
  digestProblemMessage,
  possiblyRepeated,
} from '../../../../src/bot/views/notices/digest-notices.ts';
import { attemptReason, refusalText } from '../../../../src/bot/views/notices/refusal-text.ts';
import { validateBlocks } from '../../../../src/shared/block-kit/validate.ts';
import { hostileCases } from '../../../support/hostile/hostile.ts';

const problem: DigestProblem = {
  ...{ kind: 'refused', subscriptionId: 's1', channelId: 'C1', dueAt: Date.parse('2026-11-22T09:00:00Z') },
  error: 'not_in_channel',
};

it('a refused digest names the channel, the problem and the next step', () => {
  const { text, blocks } = digestProblemMessage(problem);
  expect(text).toContain('<#C1>');
  expect(text).toContain('the bot is not a member of the channel');
  expect(text).toContain('Type /invite in that channel and choose the bot.');
  expect(JSON.stringify(blocks)).toMatch(/digest now s1.*digest edit s1.*deliveries/s);
});

it.each(['refused', 'given_up', 'uncertain'] as const)(
  '%s with an unknown error code has sentences, and fits into a message',
  (kind) => {
    const shown = digestProblemMessage({ ...problem, kind, error: 'some_new_error_of_slacks' });
    expect(validateBlocks(shown.blocks, 'message')).toEqual([]);
    expect(shown.text.split('\n').filter((line) => /[.:](?: |$)/.test(line)).length).toBeGreaterThan(1);
  },
);

it.each([
  ['refused', 'not_in_channel'],
  ['waiting', 'not_connected'],
  ['waiting', 'not_listed'],
  ['given_up', 'internal'],
  ['given_up', 'invalid_blocks'],
  ['uncertain', 'missing_scope'],
] as const)('%s is described in words, without the code %s', (kind, error) => {
  expect(digestProblemMessage({ ...problem, kind, error }).text).not.toContain(error);
});

it.each([
  [{ kind: 'refused', error: 'is_archived' }, 'was not posted: the channel is archived.'],
  [
    { kind: 'refused', error: 'is_archived', isPartlyPosted: true },
    'was posted, but not all of its thread: the channel is',
  ],
  [{ kind: 'given_up', error: 'invalid_block' }, 'was not posted: Slack refused it in all formats.'],
  [{ kind: 'given_up', error: 'internal' }, 'Scheduled digests go on, unless they are paused.'],
  [{ kind: 'given_up', error: 'no_answer' }, 'was not posted: Slack confirmed none of several attempts.'],
] as const)('%j says what became of the digest', (known, words) => {
  expect(digestProblemMessage({ ...problem, ...known }).text).toContain(words);
});

const refusals = hostileCases('slack').flatMap(({ given }) => {
  if (given['method'] !== 'chat.postMessage') return [];
  const [, error = 'none'] = /"error":"(\w+)"/.exec(JSON.stringify(given)) ?? [];
  // That one is posted at the top instead.
  return error === 'none' || error === 'cannot_reply_to_message' ? [] : [error];
});

it.each([
  ...['unauthorized', 'not_listed', 'channel_is_shared', 'not_installed'],
  ...refusals.filter((error) => classifySlackError(error).kind === 'permanent'),
])('%s pauses a digest, with a reason and a next step of its own', (error) => {
  const { reason, step } = refusalText(error);
  expect(reason).not.toContain(error);
  expect(step).toMatch(/^[A-Z].{15,}\.$/);
});

it('an unknown error code has a reason and a next step, too', () => {
  expect(Object.values(refusalText('brand_new')).every((words) => words.length > 10)).toBe(true);
});

it.each([
  ['payload_of_another_version', /another version/],
  ['store_slow', /database/],
  ['possibly_repeated', /did not confirm/],
  ['replies_not_shown', /did not confirm/],
  ['history_ratelimited', /check the channel for the post.*asked the bot to wait/],
  ['http_503', /^Slack returned an error \(http_503\)$/],
])('an attempt that ended with %s has words of its own', (error, words) => {
  expect(attemptReason(error)).toMatch(words);
});

it.each([
  ['org_login_required', /^the workspace is being migrated/, /./],
  ['ekm_access_denied', /^admins .* suspended posting/, /./],
  ['no_permission', /./, /^Type \/invite/],
  ['enterprise_is_restricted', /./, /^Tell the person who runs this bot/],
  ['not_authed', /a mistake in the bot/, /./],
])('%s says what Slack’s reference says of it, and who can do something', (error, reason, step) => {
  expect(refusalText(error).reason).toMatch(reason);
  expect(refusalText(error).step).toMatch(step);
});

it('a message that may be a duplicate says so', () => {
  expect(possiblyRepeated({ text: 'Digest', blocks: [] }).text).toBe(
    'Digest\nPossibly a duplicate: Slack did not confirm the first post.',
  );
});
