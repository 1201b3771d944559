/** The playground's sample digest, in a real store and a real local Slack. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { announce, planSampleDigest } from '../../src/bin/playground/sample-digest.ts';
import { openStore } from '../../src/bot/store/store.ts';
import { personId } from '../../src/local-slack/state/seed.ts';
import { localSlack } from '../support/slack/local-slack.ts';

const minuteMs = 60_000;
const start = Date.parse('2026-11-22T08:03:20Z');

async function startPlayground(at = start) {
  let time = at;
  const store = await openStore('sqlite::memory:', { clock: () => time });
  onTestFinished(() => store.close());
  const slack = await localSlack();
  const plan = () => planSampleDigest(store, slack.workspace);
  const list = () => store.subscriptions.list(slack.workspace.teamId);
  const pass = (ms: number) => {
    time += ms;
  };
  return { store, slack, plan, list, pass, now: () => time };
}

describe('the sample’s digest', () => {
  it.each([0, 11.5 * minuteMs, 55 * minuteMs, 56 * minuteMs])(
    'is due within a minute of a start %d ms later',
    async (later) => {
      const { plan, list, now } = await startPlayground(start + later);
      const digest = await plan();
      const [subscription] = await list();
      const waitMs = (subscription?.nextDue?.at ?? 0) - now();
      expect(waitMs).toBeGreaterThan(0);
      // It comes up to 50 s after that.
      expect(waitMs).toBeLessThanOrEqual(minuteMs);
      expect(subscription).toMatchObject({ channelId: digest?.channelId, schedule: { time: digest?.time } });
    },
  );

  it('exists once, and is due again at each start', async () => {
    const { plan, list, pass, now } = await startPlayground();
    await plan();
    pass(90 * minuteMs);
    await plan();
    const all = await list();
    expect(all).toHaveLength(1);
    expect((all[0]?.nextDue?.at ?? 0) - now()).toBeLessThanOrEqual(minuteMs);
  });

  it('stays paused if a person has paused it', async () => {
    const { store, slack, plan, list, now } = await startPlayground();
    await plan();
    const id = (await list())[0]?.id ?? '';
    await store.subscriptions.pause(slack.workspace.teamId, id, { reason: 'person', at: now(), by: 'U1' });
    expect(await plan()).toBeUndefined();
    expect((await list())[0]?.pause?.reason).toBe('person');
  });

  it('is announced in its channel, with its time', async () => {
    const { slack, plan } = await startPlayground();
    const digest = await plan();
    if (digest) announce(digest, slack.driven, '/workflow');
    const [said] = slack.messages({ channel: digest?.channelId ?? '', viewer: personId('ben') });
    expect(said?.text).toContain('it comes at 09:04 (Europe/Berlin), today and every day');
  });
});
