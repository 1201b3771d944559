/** The hostile cases of the section `ingress`, sent over real HTTP to the bot behind its own receiver. */

import { expect } from 'vitest';
import { stillAskingMessage } from '../../src/bot/views/notices/problem.ts';
import { echo } from '../support/bot/bot.ts';
import { type CaseRun, walk } from '../support/bot/walk.ts';
import { type HostileCase, hostileCases, spellOut } from '../support/hostile/hostile.ts';
import { publicUrl, startInstallBot } from '../support/slack/installing.ts';
import {
  formBody,
  type HttpAnswer,
  type HttpBot,
  type HttpBotOptions,
  httpNow,
  signatureOf,
  startHttpBot,
} from '../support/slack/signed-http.ts';
import { commandPayload } from '../support/slack/slack-payloads.ts';

/** A request in the form of the cases. */
type Http = {
  readonly method: string;
  readonly path: string;
  readonly form?: Readonly<Record<string, string>> | null;
  readonly json?: unknown;
  readonly raw?: string | Parameters<typeof spellOut>[0];
  readonly contentType?: string | null;
  readonly sign: string;
  readonly offsetSec?: number;
  readonly repeat?: number;
  readonly parallel?: number;
  readonly vary?: 'retry';
};

/** The workspace of the cases and its people. */
const teamId = 'T1';
const installed = { body: { ok: true, team_id: teamId, user_id: 'U0BOT', bot_id: 'B0BOT' } };

type Run = { readonly answers: readonly HttpAnswer[]; readonly dispatched: number };
type Checked = (run: Run & { readonly bot: HttpBot }) => unknown;

/** Sends the case, compares the result, and checks that a good command is answered afterwards. */
function sent(check: Checked = () => undefined, options: HttpBotOptions = {}): CaseRun {
  return async (one) => {
    await using bot = await startHttpBot({ ...options, prepare: ({ script }) => script('auth.test', installed) });
    const answers = await sendCase(bot, httpOf(one, bot));
    const run = { answers, dispatched: bot.requests.length };
    expectOutcome(one, run);
    await check({ ...run, bot });
    expect(JSON.parse((await bot.post(commandPayload(bot.slack, 'fine', { team_id: teamId }))).text)).toMatchObject({
      text: 'You typed fine',
    });
    expect(Object.keys(Object.prototype)).toEqual([]);
  };
}

function httpOf({ given }: HostileCase, bot: HttpBot): Http {
  return JSON.parse(JSON.stringify(given['http']).replaceAll('$RESPONSE_URL', `${bot.slack.origin}/response/1`));
}

function expectOutcome({ expect: expected }: HostileCase, { answers, dispatched }: Run): void {
  const statuses = [expected['http']].flat();
  expect(answers.map(({ status }) => status).filter((status) => !statuses.includes(status))).toEqual([]);
  if (expected['dispatched'] !== 'any') expect(dispatched).toBe(expected['dispatched']);
  const type = expected['contentType'];
  if (typeof type === 'string') expect(answers[0]?.type).toContain(type);
}

/** One after the other, or all at once. */
async function sendCase(bot: HttpBot, http: Http): Promise<readonly HttpAnswer[]> {
  if (http.parallel) return Promise.all(Array.from({ length: http.parallel }, () => bot.send(requestOf(http, 0))));
  const answers: HttpAnswer[] = [];
  for (let turn = 0; turn < (http.repeat ?? 1); turn += 1) answers.push(await bot.send(requestOf(http, turn)));
  return answers;
}

/** Slack signs every delivery again. @param turn from 0 */
function requestOf(http: Http, turn: number) {
  const { method, path, raw, form, json, sign, offsetSec = 0, vary } = http;
  const written = typeof raw === 'object' ? spellOut(raw) : raw;
  const body = written ?? (json === undefined ? formBody(form ?? {}) : JSON.stringify(json));
  const usualType = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
  const type = http.contentType === undefined ? usualType : http.contentType;
  const isRetry = vary === 'retry';
  const at = httpNow + offsetSec + (isRetry ? turn : 0);
  const retry = isRetry && turn > 0 ? { 'x-slack-retry-num': String(turn) } : {};
  const headers = { ...(type && { 'content-type': type }), ...retry, ...signed(sign, body, at) };
  return { method, path, headers, ...(method !== 'GET' && { body }) };
}

function signed(sign: string, body: string, at: number): Readonly<Record<string, string>> {
  const good = signatureOf({ body, at });
  const [signature, timestamp] = Object.values(good);
  const timed = (written: string) => signatureOf({ body, at: written });
  const kinds: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    good,
    bad: { ...good, 'x-slack-signature': `v0=${'0'.repeat(64)}` },
    none: {},
    empty: { ...good, 'x-slack-signature': '' },
    upper: { ...good, 'x-slack-signature': String(signature).toUpperCase().replace('V0', 'v0') },
    'other-secret': signatureOf({ body, at, secret: 'the-secret-of-another-app' }),
    'no-ts': { 'x-slack-signature': String(signature) },
    'nan-ts': timed('NaN'),
    'float-ts': timed(`${timestamp}.0`),
  };
  const headers = kinds[sign];
  if (!headers) throw new Error(`There is no way to sign ${sign}.`);
  return headers;
}

const textOf = ({ answers: [answer] }: Run): string => JSON.parse(answer?.text ?? '').text;
/** A refused sender gets a short error, and no request is made for it. */
const quiet: Checked = ({ answers, bot }) => {
  for (const { text } of answers) expect(text.split(' ').length).toBeLessThanOrEqual(3);
  expect(bot.slack.calls.map(({ method }) => method)).toEqual(['auth.test', 'bots.info']);
  expect(bot.slack.responses).toEqual([]);
};

/** Cases with their own procedure; every other case is sent and compared. */
const special: Readonly<Record<string, CaseRun>> = {
  'url-verification-xss': sent(({ answers: [answer] }) => {
    expect(JSON.parse(answer?.text ?? '')).toEqual({ challenge: '<script>' });
  }),
  'unknown-team': async (one) => {
    const bot = await startInstallBot();
    const answers = await sendCase(bot, httpOf(one, bot));
    expectOutcome(one, { answers, dispatched: bot.requests.length });
    expect(textOf({ answers, dispatched: 0 })).toContain(`${publicUrl}/slack/install`);
  },
  'team-proto': sent((run) => expect(textOf(run)).toContain('not installed in this workspace')),
  'team-path': sent((run) => expect(textOf(run)).toContain('not installed in this workspace')),

  // The case does not contain the event's time.
  'event-retry-seen': async (one) => {
    const bot = await startInstallBot();
    await bot.install();
    const { json, ...http } = httpOf(one, bot);
    const answers = await sendCase(bot, { ...http, json: { ...(json as object), event_time: httpNow + 1 } });
    await bot.log.until('slack repeated a delivery', 2);
    await bot.log.until('workspace uninstalled the bot');
    expectOutcome(one, { answers, dispatched: 1 });
    expect(bot.log.messages().filter((line) => line === 'workspace uninstalled the bot')).toHaveLength(1);
  },

  enterprise: async (one) => {
    const bot = await startInstallBot();
    bot.slack.script('auth.teams.list', { body: { ok: true, teams: [{ id: teamId }] } });
    await bot.install({
      is_enterprise_install: true,
      enterprise: { id: 'E1', name: 'Acme' },
      access_token: 'xoxb-of-E1',
    });
    const answers = await sendCase(bot, httpOf(one, bot));
    expectOutcome(one, { answers, dispatched: bot.requests.length });
    expect(bot.requests.map(({ actor }) => actor.teamId)).toEqual([teamId]);
    expect(bot.slack.calls.find(({ method }) => method === 'auth.teams.list')?.token).toBe('xoxb-of-E1');
  },

  'handler-throws': sent((run) => expect(textOf(run)).toMatch(/Something went wrong[\s\S]*ref-1/), {
    answer: ({ line }) => {
      if (line === 'throw') throw new Error('a fault of ours');
      return echo(line);
    },
  }),

  // The answer goes to the person over the Web API instead of the response_url.
  'response-url-evil': sent(
    async ({ bot }) => {
      const { calls } = bot.slack;
      const [post] = await bot.slack.until(() => {
        const posts = calls.filter(({ method }) => method === 'chat.postEphemeral');
        return posts.length > 0 ? posts : undefined;
      });
      expect(post?.fields).toMatchObject({ channel: 'C1', user: 'U1', text: 'You typed list' });
      expect(bot.log.text()).toContain('foreign_response_url');
    },
    {
      // A note acknowledges the command, so that the answer has to follow.
      answer: ({ line }, onProgress) => {
        if (line === 'list') onProgress?.(stillAskingMessage(2_000));
        return echo(line);
      },
    },
  ),
};

const runs = Object.fromEntries(
  hostileCases('ingress').map((one) => {
    const name = one.id.replace('ingress/', '');
    const isRefused = [one.expect['http']].flat().every((status) => Number(status) >= 400);
    return [name, special[name] ?? sent(isRefused ? quiet : undefined)] as const;
  }),
);

walk({ section: 'ingress', runs });
