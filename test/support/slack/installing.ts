/** A bot that people install from a browser, with the fake Slack, and a test's own store, clock and browsers. */
import { onTestFinished } from 'vitest';
import type { OperatorPages } from '../../../src/bot/slack/installation/pages.ts';
import { botScopes } from '../../../src/bot/slack/installation/scopes.ts';
import { createAuditLog } from '../../../src/bot/store/audit-recorder.ts';
import type { Store } from '../../../src/bot/store/store.ts';
import type { TestBotOptions } from '../bot/bot.ts';
import { testRuntime } from '../bot/runtime.ts';
import { openNewStore, testKeys } from '../bot/store.ts';
import { createMemoryLog } from '../runner/memory-log.ts';
import type { FakeSlack } from './fake-slack.ts';
import { type HttpBot, type HttpBotOptions, httpNow, startHttpBot } from './signed-http.ts';

export const publicUrl = 'https://bot.example.com';
export const installNow = httpNow * 1000;
export const clientSecret = 'canary-client-secret';

type Fields = Readonly<Record<string, unknown>>;

/** An answer of oauth.v2.access, for the workspace T1 unless the fields override it. */
export function grantOf(fields: Fields = {}) {
  return {
    ok: true,
    app_id: 'A1',
    authed_user: { id: 'U0ADMIN' },
    scope: botScopes.join(),
    token_type: 'bot',
    access_token: 'xoxb-canary-granted',
    bot_user_id: 'U0BOT',
    team: { id: 'T1', name: 'Acme' },
    enterprise: null,
    is_enterprise_install: false,
    ...fields,
  };
}

type Visit = { readonly status: number; readonly headers: Headers; readonly text: string };

export type Browser = {
  /** Sends the browser's cookies; follows no redirect. */
  readonly get: (path: string) => Promise<Visit>;
  /** Presses the button. @returns the OAuth state */
  readonly begin: () => Promise<string>;
  /** Returns from Slack. */
  readonly comeBack: (query: Readonly<Record<string, string>>) => Promise<Visit>;
};

export type InstallBot = HttpBot & {
  readonly store: Store;
  readonly browser: () => Browser;
  /** Agrees as an admin, in a browser of its own. */
  readonly install: (fields?: Fields) => Promise<Visit>;
  /** Moves the bot's clock, but not the time of signatures. */
  readonly pass: (ms: number) => void;
};

export type InstallBotOptions = Pick<HttpBotOptions, 'http'> &
  TestBotOptions & {
    readonly prepare?: (slack: FakeSlack) => void;
    /** The store of another bot, which closes it. */
    readonly store?: Store;
    readonly onGone?: (teamId: string) => void;
    readonly pages?: OperatorPages;
    /** As Slack knows it. */
    readonly app?: { readonly clientId: string; readonly clientSecret: string };
  };

/** Stopped when the test ends. */
export async function startInstallBot(options: InstallBotOptions = {}): Promise<InstallBot> {
  const {
    store: given,
    onGone = () => undefined,
    pages = {},
    app = { clientId: '1.2', clientSecret },
    ...rest
  } = options;
  let now = installNow;
  const clock = () => now;
  const store = given ?? (await openNewStore({ keys: testKeys(), clock }));
  const { log } = createMemoryLog();
  const audit = createAuditLog(store, testRuntime(clock, log));
  const settings = { ...app, ...pages, publicUrl, store, audit, onGone };
  const bot = await startHttpBot({ clock, shared: store, ...rest, access: { kind: 'installed', ...settings } });
  onTestFinished(async () => {
    await bot[Symbol.asyncDispose]();
    if (!given) await store.close();
  });
  const browser = () => createBrowser(bot.receiver.origin());
  return {
    ...bot,
    store,
    browser,
    install: async (fields) => {
      bot.slack.script('oauth.v2.access', { body: grantOf(fields) });
      const mine = browser();
      return mine.comeBack({ code: 'canary-code', state: await mine.begin() });
    },
    pass: (ms) => {
      now += ms;
    },
  };
}

export function createBrowser(origin: string): Browser {
  const cookies = new Map<string, string>();
  const get = async (path: string): Promise<Visit> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(origin + path, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return {
    get,
    begin: async () => {
      const { headers } = await get('/slack/install/begin');
      return new URL(headers.get('location') ?? '').searchParams.get('state') ?? '';
    },
    comeBack: (query) => get(`/slack/oauth_redirect?${new URLSearchParams(query)}`),
  };
}

/** Slack's answer to a refresh. */
export function refreshedTo(number: number, fields: Fields = {}) {
  return grantOf({
    access_token: `xoxe.xoxb-canary-${number}`,
    refresh_token: `xoxe-canary-${number}`,
    expires_in: 43_200,
    ...fields,
  });
}

let events = 0;

/** An event as Slack delivers it. @param envelope further fields of the envelope */
export function eventPayload(event: Fields, envelope: Fields = {}) {
  events += 1;
  return {
    type: 'event_callback',
    api_app_id: 'A1',
    team_id: 'T1',
    event_id: `Ev${events}`,
    event_time: installNow / 1000,
    event,
    ...envelope,
  };
}

/** A mention of the bot, which it answers over the Web API with a token. */
export function mentionIn(teamId: string, text = 'fine', envelope: Fields = {}) {
  const event = { type: 'app_mention', user: 'U0ANNA', channel: 'C0OPS', text: `<@U0BOT> ${text}`, ts: '1.1' };
  return eventPayload(event, { team_id: teamId, ...envelope });
}

/** @returns the token with which the bot answers a mention there */
export async function tokenUsedIn({ slack, postJson }: InstallBot, teamId: string, envelope: Fields = {}) {
  const before = slack.calls.length;
  await postJson(mentionIn(teamId, 'fine', envelope));
  const answers = () => slack.calls.slice(before).find(({ method }) => method === 'chat.postEphemeral');
  return (await slack.until(answers)).token;
}
