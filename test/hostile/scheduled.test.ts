/** The hostile cases of the section `upstream` for digests: the worker and the real content, over real HTTP. */
import { describe, expect, it } from 'vitest';
import { startScheduled } from '../support/bot/scheduled.ts';
import {
  behaviourOf,
  caseOf,
  expectToldOnce,
  fewTries,
  fiveMinutesMs,
  kindsOfAnswers,
  tries,
} from '../support/hostile/unreadable-answers.ts';
import { answer, type Behaviour, inTurn, relayTo } from '../support/service/hostile-http.ts';
import { startWorld } from '../support/service/world.ts';

describe('a digest whose service sends unreadable answers', () => {
  it.each(kindsOfAnswers)(
    'upstream/%s: is retried for 15 minutes, says once that it could not check, and never that nothing failed',
    expectToldOnce,
  );

  it('upstream/429-ra: waits, keeps its occurrence, and is posted when the service answers again', async () => {
    const { posts, wait, ended, recover, outbox } = await startScheduled(behaviourOf(caseOf('upstream/429-ra')));
    await wait(3);
    expect(await outbox.page('T1', 5)).toMatchObject([{ state: 'due', error: 'rate_limited' }]);
    recover();
    await ended();
    expect(posts[0]?.text).toMatch(/had failures/);
    expect(await outbox.page('T1', 5)).toMatchObject([{ state: 'posted' }]);
  });

  it('with incomplete data names what is missing, and does not count it as nothing', async () => {
    await using world = await startWorld();
    const relay = relayTo(world.url);
    const partly: Behaviour = (request, response) =>
      (request.body.includes('workflowDeployments') ? answer(500) : relay)(request, response);
    const { posts, ended } = await startScheduled(partly);
    await ended();
    expect(posts[0]?.text).toMatch(/Not known: .*deployments/);
  });

  it('upstream/down-24h: each occurrence reports a service that is down once, and the first digest after it is complete', async () => {
    const { posts, wait, ended, tomorrow, recover } = await startScheduled(behaviourOf(caseOf('upstream/503')));
    for (const day of [1, 2, 3]) {
      if (day > 1) tomorrow();
      await wait(tries);
      await ended();
    }
    expect(posts.map(({ text }) => text.slice(0, 30))).toEqual(
      Array(3).fill(':warning: Could not check for failures'.slice(0, 30)),
    );
    recover();
    tomorrow();
    await ended();
    expect(posts.at(-1)?.text).not.toMatch(/Could not check|skipped/);
  });
});

it('a digest of a workspace without a key says so once, notifies its owner once, and continues with a key', async () => {
  await using world = await startWorld();
  const bot = await startScheduled(relayTo(world.url), { hasKey: false });
  const { posts, told, wait, ended, tomorrow, subscriptions, outbox, id } = bot;
  await wait(fewTries, fiveMinutesMs);
  await ended();
  expect(await subscriptions.find('T1', id)).toMatchObject({ pause: { reason: 'not_connected', by: null } });
  for (const _day of [2, 3, 4]) {
    tomorrow();
    await ended();
  }
  expect(posts.map(({ text }) => text)).toEqual([
    expect.stringMatching(/Could not check.*bot admin can press Connect.*skipped until this workspace has a key/s),
  ]);
  expect(told).toMatchObject([
    {
      userId: 'U1',
      text: expect.stringMatching(/not connected to a query service.*After that, digests are posted again/s),
    },
  ]);
  expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'missed', error: 'not_connected' }]);
  await bot.connect();
  tomorrow();
  await ended();
  expect(posts.at(-1)?.text).toMatch(/3 digests skipped/);
  expect(await subscriptions.find('T1', id)).toMatchObject({ pause: null });
});

it('a digest whose service was taken off the list says that, not that nothing is connected', async () => {
  const bot = await startScheduled(answer(500), { hasKey: false });
  const { posts, told, wait, ended, subscriptions, store, id } = bot;
  const key = { apiKey: 'canary', keyHint: '', connectedBy: 'U0ADMIN', connectedAt: 0 };
  const dropped = { endpoint: 'https://dropped.example/graphql', organizationId: 'o-1', organizationName: 'Acme' };
  await store.credentials.connect('T1', { ...key, ...dropped });
  await wait(fewTries, fiveMinutesMs);
  await ended();
  expect(await subscriptions.find('T1', id)).toMatchObject({ pause: { reason: 'not_listed' } });
  for (const { text } of [...posts, ...told]) expect(text).toMatch(/is not on the bot’s list of allowed services/);
  for (const { text } of [...posts, ...told]) expect(text).not.toMatch(/not connected/);
  expect([posts.length, told.length]).toEqual([1, 1]);
});

describe('a digest whose key is refused', () => {
  it.each(['200-unauth', '401-html'])(
    'upstream/%s: says so three times, is then silent, and continues when the key works again',
    async (name) => {
      const bot = await startScheduled(behaviourOf(caseOf(`upstream/${name}`)));
      const { posts, notices, wait, ended, tomorrow, subscriptions, id, told } = bot;
      await wait(fewTries, fiveMinutesMs);
      await ended();
      expect(await subscriptions.find('T1', id)).toMatchObject({ pause: null });
      for (const day of [2, 3, 4, 5]) {
        tomorrow();
        // Now each is late, and its attempts are counted instead.
        if (day <= 3) await wait(tries);
        await ended();
      }
      expect(await subscriptions.find('T1', id)).toMatchObject({ pause: { reason: 'unauthorized', by: null } });
      expect(posts.map(({ text }) => /digests are skipped/.test(text))).toEqual([false, false, true]);
      for (const { text } of posts) expect(text).toMatch(/Could not check[\s\S]*to renew the key/);
      expect([notices, told]).toEqual([['U0ADMIN'], []]);
      bot.recover();
      // A check of the key that began before may still be refused, and the digest shares its answer.
      do {
        tomorrow();
        await ended();
      } while (posts.length === 3);
      expect(posts.at(-1)?.text).toMatch(/[23] digests skipped/);
      expect(await subscriptions.find('T1', id)).toMatchObject({ pause: null });
    },
  );

  it('upstream/401-flap: and accepted a minute later is posted normally', async () => {
    await using world = await startWorld();
    const { posts, wait, ended, notices } = await startScheduled(inTurn(answer(401), relayTo(world.url)));
    await wait(1);
    await ended();
    expect(posts[0]?.text).not.toMatch(/An admin|Could not check/);
    expect(notices).toEqual([]);
  });
});
