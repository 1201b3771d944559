/** Profiles of people: time zone and role. */
import { describe, expect, test } from 'vitest';
import { startTestBot } from '../../../../support/bot.ts';
import { type FakeReply, fakeTeamId } from '../../../../support/fake-slack.ts';

const anna = { teamId: fakeTeamId, userId: 'U0ANNA' };
const zoneReply = (tz: unknown): FakeReply => ({ body: { ok: true, user: { tz } } });

function counting() {
  const counter = { waits: 0 };
  const onWait = () => {
    counter.waits += 1;
  };
  return { counter, onWait };
}

test('Slack is asked once, and only the first request waits', async () => {
  await using run = await startTestBot();
  const { counter, onWait } = counting();
  expect(await run.bot.zoneOf(anna, onWait)).toBe('Europe/Vienna');
  expect(await run.bot.zoneOf(anna, onWait)).toBe('Europe/Vienna');
  expect(counter.waits).toBe(1);
  expect(run.slack.calls.filter(({ method }) => method === 'users.info')).toMatchObject([
    { fields: { user: 'U0ANNA' } },
  ]);
});

test('two concurrent requests share one call', async () => {
  await using run = await startTestBot();
  await Promise.all([run.bot.zoneOf(anna, () => undefined), run.bot.zoneOf(anna, () => undefined)]);
  expect(run.slack.calls.filter(({ method }) => method === 'users.info')).toHaveLength(1);
});

test('a profile is requested again after six hours', async () => {
  const time = { now: 0 };
  await using run = await startTestBot({ clock: () => time.now });
  await run.bot.zoneOf(anna, () => undefined);
  time.now = 6 * 3_600_000;
  run.slack.script('users.info', zoneReply('Asia/Tokyo'));
  expect(await run.bot.zoneOf(anna, () => undefined)).toBe('Asia/Tokyo');
});

test.each(['', 'Mars/Olympus', '+02:00', null, 7])('a time zone that is %j is read as UTC', async (tz) => {
  await using run = await startTestBot();
  run.slack.script('users.info', zoneReply(tz));
  expect(await run.bot.zoneOf(anna, () => undefined)).toBe('Etc/UTC');
});

test('if Slack does not answer, UTC is used for a minute', async () => {
  const time = { now: 0 };
  await using run = await startTestBot({ clock: () => time.now });
  run.slack.script('users.info', { body: { ok: false, error: 'missing_scope' } });
  const { counter, onWait } = counting();
  expect(await run.bot.zoneOf(anna, onWait)).toBe('Etc/UTC');
  expect(await run.bot.zoneOf(anna, onWait)).toBe('Etc/UTC');
  expect(counter.waits).toBe(1);
  time.now = 60_000;
  expect(await run.bot.zoneOf(anna, onWait)).toBe('Europe/Vienna');
});

test('a person of a workspace without the bot is read in UTC, and Slack is not asked', async () => {
  await using run = await startTestBot();
  expect(await run.bot.zoneOf({ teamId: 'T0OTHER', userId: 'U0EVE' }, () => undefined)).toBe('Etc/UTC');
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
    expect(await run.bot.membershipOf(anna, () => undefined)).toBe(standing);
    expect(run.bot.knownMembershipOf(anna)).toBe(standing);
  });

  test('is requested again after a minute, and not before', async () => {
    const time = { now: 0 };
    await using run = await startTestBot({ clock: () => time.now });
    run.slack.script('users.info', said({ is_admin: true }));
    const { counter, onWait } = counting();
    await run.bot.membershipOf(anna, onWait);
    time.now = 59_999;
    expect(await run.bot.membershipOf(anna, onWait)).toBe('admin');
    time.now = 60_000;
    expect(await run.bot.membershipOf(anna, onWait)).toBe('member');
    expect(counter.waits).toBe(2);
  });

  test('is cached for ten minutes for the check whether a person may read', async () => {
    const time = { now: 0 };
    await using run = await startTestBot({ clock: () => time.now });
    await run.bot.membershipOf(anna, () => undefined);
    time.now = 599_999;
    expect(run.bot.knownMembershipOf(anna)).toBe('member');
    time.now = 600_000;
    expect(run.bot.knownMembershipOf(anna)).toBeUndefined();
  });

  test('is unknown if Slack does not answer, and that is not cached', async () => {
    await using run = await startTestBot();
    run.slack.script('users.info', { status: 500, body: 'trouble' });
    await expect(run.bot.membershipOf(anna, () => undefined)).rejects.toMatchObject({ code: 'unavailable' });
    expect(run.bot.knownMembershipOf(anna)).toBeUndefined();
    expect(await run.bot.membershipOf(anna, () => undefined)).toBe('member');
  });

  // https://docs.slack.dev/reference/methods/users.info#errors
  test.each(['user_not_found', 'user_not_visible'])('is external if Slack answers %s', async (error) => {
    await using run = await startTestBot();
    run.slack.script('users.info', { body: { ok: false, error } });
    expect(await run.bot.membershipOf(anna, () => undefined)).toBe('external');
    expect(await run.bot.zoneOf(anna, () => undefined)).toBe('Etc/UTC');
  });

  test('comes with the time zone, in one call', async () => {
    await using run = await startTestBot();
    await run.bot.zoneOf(anna, () => undefined);
    const { counter, onWait } = counting();
    expect(await run.bot.membershipOf(anna, onWait)).toBe('member');
    expect(counter.waits).toBe(0);
  });
});
