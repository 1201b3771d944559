/** Profiles of people: time zone and role. */
import { describe, expect, test } from 'vitest';
import { startTestBot, type TestBot } from '../../../../support/bot/bot.ts';
import { type FakeReply, fakeTeamId } from '../../../../support/slack/fake-slack.ts';

const anna = { teamId: fakeTeamId, userId: 'U0ANNA' };
const zoneReply = (tz: unknown): FakeReply => ({ body: { ok: true, user: { tz } } });

const asked = ({ slack }: TestBot) => slack.calls.filter(({ method }) => method === 'users.info').length;

test('Slack is asked once', async () => {
  await using run = await startTestBot();
  expect(await run.bot.zoneOf(anna)).toBe('Europe/Vienna');
  expect(await run.bot.zoneOf(anna)).toBe('Europe/Vienna');
  expect(asked(run)).toBe(1);
  expect(run.slack.calls.filter(({ method }) => method === 'users.info')).toMatchObject([
    { fields: { user: 'U0ANNA' } },
  ]);
});

test('two concurrent requests share one call', async () => {
  await using run = await startTestBot();
  await Promise.all([run.bot.zoneOf(anna), run.bot.zoneOf(anna)]);
  expect(run.slack.calls.filter(({ method }) => method === 'users.info')).toHaveLength(1);
});

test('a profile is requested again after six hours', async () => {
  const time = { now: 0 };
  await using run = await startTestBot({ clock: () => time.now });
  await run.bot.zoneOf(anna);
  time.now = 6 * 3_600_000;
  run.slack.script('users.info', zoneReply('Asia/Tokyo'));
  expect(await run.bot.zoneOf(anna)).toBe('Asia/Tokyo');
});

test.each(['', 'Mars/Olympus', '+02:00', null, 7])('a time zone that is %j is read as UTC', async (tz) => {
  await using run = await startTestBot();
  run.slack.script('users.info', zoneReply(tz));
  expect(await run.bot.zoneOf(anna)).toBe('Etc/UTC');
});

test('if Slack does not answer, UTC is used for a minute', async () => {
  const time = { now: 0 };
  await using run = await startTestBot({ clock: () => time.now });
  run.slack.script('users.info', { body: { ok: false, error: 'missing_scope' } });
  expect(await run.bot.zoneOf(anna)).toBe('Etc/UTC');
  expect(await run.bot.zoneOf(anna)).toBe('Etc/UTC');
  expect(asked(run)).toBe(1);
  time.now = 60_000;
  expect(await run.bot.zoneOf(anna)).toBe('Europe/Vienna');
});

test('a person of a workspace without the bot is read in UTC, and Slack is not asked', async () => {
  await using run = await startTestBot();
  expect(await run.bot.zoneOf({ teamId: 'T0OTHER', userId: 'U0EVE' })).toBe('Etc/UTC');
  expect(run.slack.calls.map(({ method }) => method)).not.toContain('users.info');
});

describe('the role of a person in their workspace', () => {
  const said = (user: object): FakeReply => ({ body: { ok: true, user: { team_id: fakeTeamId, ...user } } });

  test.each([
    [{}, 'member'],
    [{ is_admin: true }, 'admin'],
    [{ is_owner: true }, 'admin'],
    [{ is_primary_owner: true }, 'admin'],
    [{ is_restricted: true }, 'guest'],
    [{ is_restricted: true, is_ultra_restricted: true, is_admin: true }, 'single_channel_guest'],
    [{ is_stranger: true }, 'external'],
    [{ is_stranger: true, is_admin: true, is_restricted: true }, 'external'],
    [{ team_id: 'T0OTHER', is_admin: true }, 'external'],
    [{ team_id: undefined }, 'external'],
    [{ team_id: 'T0OTHER', enterprise_user: { teams: ['T0OTHER', fakeTeamId] } }, 'member'],
    [{ team_id: 'T0OTHER', enterprise_user: { teams: ['T0OTHER'] }, is_owner: true }, 'external'],
    [{ deleted: true, is_owner: true }, 'deactivated'],
  ])('with the profile %j is %s', async (user, standing) => {
    await using run = await startTestBot();
    run.slack.script('users.info', said(user));
    expect(await run.bot.membershipOf(anna)).toBe(standing);
    expect(run.bot.knownMembershipOf(anna)).toBe(standing);
  });

  test('is requested again after a minute, and not before', async () => {
    const time = { now: 0 };
    await using run = await startTestBot({ clock: () => time.now });
    run.slack.script('users.info', said({ is_admin: true }));
    await run.bot.membershipOf(anna);
    time.now = 59_999;
    expect(await run.bot.membershipOf(anna)).toBe('admin');
    time.now = 60_000;
    expect(await run.bot.membershipOf(anna)).toBe('member');
    expect(asked(run)).toBe(2);
  });

  test('is cached for ten minutes for the check whether a person may read', async () => {
    const time = { now: 0 };
    await using run = await startTestBot({ clock: () => time.now });
    await run.bot.membershipOf(anna);
    time.now = 599_999;
    expect(run.bot.knownMembershipOf(anna)).toBe('member');
    time.now = 600_000;
    expect(run.bot.knownMembershipOf(anna)).toBeUndefined();
  });

  test('is unknown if Slack does not answer, and that is not cached', async () => {
    await using run = await startTestBot();
    run.slack.script('users.info', { status: 500, body: 'trouble' });
    await expect(run.bot.membershipOf(anna)).rejects.toMatchObject({ code: 'unavailable' });
    expect(run.bot.knownMembershipOf(anna)).toBeUndefined();
    expect(await run.bot.membershipOf(anna)).toBe('member');
  });

  // https://docs.slack.dev/reference/methods/users.info#errors
  test.each(['user_not_found', 'user_not_visible'])('is external if Slack answers %s', async (error) => {
    await using run = await startTestBot();
    run.slack.script('users.info', { body: { ok: false, error } });
    expect(await run.bot.membershipOf(anna)).toBe('external');
    expect(await run.bot.zoneOf(anna)).toBe('Etc/UTC');
  });

  test('comes with the time zone, in one call', async () => {
    await using run = await startTestBot();
    await run.bot.zoneOf(anna);
    expect(await run.bot.membershipOf(anna)).toBe('member');
    expect(asked(run)).toBe(1);
  });
});
