/** One bot, many workspaces, several organizations: no data of one reaches another. Short form, with bots that must fail. */
import NodeCache from 'node-cache';
import { expect, onTestFinished, test } from 'vitest';
import { type KeyOf, startInstallation } from './installation.ts';
import { type Evidence, findLeaks } from './judge.ts';
import { runIsolation } from './run.ts';

test('concurrent use of many workspaces shows no data of another organization and no secret', async () => {
  const { leaks, read, told } = await runIsolation({ workspaces: 8, organizations: 4 }, (done) => done >= 100);
  expect(leaks, told).toEqual([]);
  expect(read, told).toBe(4);
});

/** Runs `list` in two workspaces of two organizations, one after the other. */
async function leaksOfLists(keyOf?: KeyOf): Promise<readonly string[]> {
  const { slack, workspaces, finish } = await startInstallation({ workspaces: 2, organizations: 2 }, keyOf);
  for (const { people, channels } of workspaces) {
    const place = { user: people[0]?.id ?? '', channel: channels[0]?.id ?? '' };
    const next = slack.nextMessage({ channel: place.channel });
    await slack.command({ ...place, text: '/workflow list' });
    await next;
  }
  const { evidence, expected } = await finish();
  return findLeaks(evidence, expected);
}

test('two workspaces with their own keys are isolated', async () => {
  expect(await leaksOfLists()).toEqual([]);
});

test('a bot that uses one key for all is detected', async () => {
  const leaks = (await leaksOfLists(() => 0)).join('\n');
  expect(leaks).toMatch(/of T02LOCAL000: mk0x/);
  expect(leaks).not.toContain('of T01LOCAL000');
});

test('a bot with one cache for all is detected', async () => {
  const shared = (key: string) => {
    const [name, _team, _key, ...rest] = JSON.parse(key);
    return JSON.stringify([name, ...rest]);
  };
  const { get, set } = NodeCache.prototype;
  onTestFinished(() => void Object.assign(NodeCache.prototype, { get, set }));
  Object.assign(NodeCache.prototype, {
    get(this: NodeCache, key: string) {
      return get.call(this, shared(key));
    },
    set(this: NodeCache, key: string, value: unknown) {
      return set.call(this, shared(key), value);
    },
  });
  expect((await leaksOfLists()).join('\n')).toMatch(/of T02LOCAL000: mk0x/);
});

const secret = `wfq_${'0123456789ab'.repeat(2)}`;
const nothing: Evidence = { sent: [], logged: [], cached: [], metrics: '', stored: [] };
const expected = {
  markerOf: new Map([
    ['T1', 'mk1x'],
    ['T2', 'mk2x'],
  ]),
  markers: ['mk1x', 'mk2x'],
  secrets: [secret, 'base+64/='],
};

test.each<[string, Partial<Evidence>]>([
  ['a request to Slack', { sent: [{ teamId: 'T1', what: 'acknowledgement', text: 'list mk2x' }] }],
  ['a request without a known workspace', { sent: [{ teamId: undefined, what: '/upload', text: 'mk1x' }] }],
  ['a log line', { logged: ['{"teamId":"T2","msg":"mk1x"}'] }],
  ['a cached answer', { cached: [{ key: '["list","T1","v"]', value: '{"name":"mk2x"}' }] }],
  ['the label of a metric', { metrics: 'commands{team="T1"} 1' }],
  ['a secret in a log line', { logged: [`{"teamId":"T1","msg":"asked with ${secret}"}`] }],
  ['a secret within another word', { metrics: `commands{ref="ab${secret.slice(4)}cd"} 1` }],
  ['a secret in a cache key', { cached: [{ key: `["list","T1","${secret}"]`, value: '{}' }] }],
  ['a master key in the database', { stored: ['SQLite format 3 … base+64/='] }],
])('the judge sees %s', (_what, evidence) => {
  expect(findLeaks({ ...nothing, ...evidence }, expected)).toHaveLength(1);
});

test('the judge accepts a workspace’s own data', () => {
  const sent = [{ teamId: 'T1', what: 'chat.postMessage', text: 'mk1x' }];
  expect(findLeaks({ ...nothing, sent, logged: ['{"teamId":"T2","msg":"mk2x"}'] }, expected)).toEqual([]);
});
