/** Installing the bot in a browser, over real HTTP. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { botScopes } from '../../../../src/bot/slack/installation/scopes.ts';
import { openBeside, openTestStore } from '../../../support/bot/store.ts';
import { newSqlite } from '../../../support/databases/engines.ts';
import { clientSecret, grantOf, installNow, publicUrl, startInstallBot } from '../../../support/slack/installing.ts';
import { installation } from '../../store/contracts/installations.contract.ts';

const tenMinutesMs = 10 * 60_000;
const isGrant = ({ method }: { readonly method: string }) => method === 'oauth.v2.access';

test('a visit of the page stores nothing and shows what to do', async () => {
  const { browser, slack } = await startInstallBot();
  const { status, headers, text } = await browser().get('/slack/install');
  expect([status, headers.get('content-type'), headers.getSetCookie()]).toEqual([200, 'text/html; charset=utf-8', []]);
  expect(text).toContain('<a href="/slack/install/begin">Add to Slack</a>');
  expect(text).toMatch(/connect.*members of the workspace can use the bot, as its settings allow/s);
  expect(slack.calls).toEqual([]);
});

test('the page links the operator’s privacy policy and support, if there are any', async () => {
  const pages = { privacyUrl: 'https://example.com/privacy?a="b"', supportUrl: 'https://example.com/support' };
  const { browser } = await startInstallBot({ pages });
  const { text } = await browser().get('/slack/install');
  expect(text).toContain('<a href="https://example.com/privacy?a=&quot;b&quot;">Privacy policy</a>');
  expect(text).toContain('<a href="https://example.com/support">Support</a>');
});

test('a page loads nothing, cannot be framed and sends no referrer', async () => {
  const { browser } = await startInstallBot();
  const { headers, text } = await browser().get('/slack/install');
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-.*frame-ancestors 'none'$/,
  );
  expect([headers.get('referrer-policy'), headers.get('cache-control')]).toEqual(['no-referrer', 'no-store']);
  expect(text).not.toMatch(/<script|src=|https?:/);
  expect(text).toMatch(/<html lang="en">[\s\S]*<title>Add Workflow Bot to Slack<\/title>[\s\S]*<main>\s*<h1>/);
});

test('the button leads to Slack with the requested scopes, and binds the attempt to the browser', async () => {
  const { browser } = await startInstallBot();
  const { status, headers } = await browser().get('/slack/install/begin');
  const url = new URL(headers.get('location') ?? '');
  expect([status, url.pathname, url.searchParams.get('client_id')]).toEqual([302, '/oauth/v2/authorize', '1.2']);
  expect(url.searchParams.get('scope')).toContain('commands,chat:write');
  expect(url.searchParams.get('redirect_uri')).toBe(`${publicUrl}/slack/oauth_redirect`);
  expect(url.searchParams.get('state')).toMatch(/^[\w-]{72}$/);
  const attributes = 'Max-Age=600; Path=/; HttpOnly; SameSite=Lax; Secure';
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(new RegExp(`^__Host-install=[\\w-]{43}; ${attributes}$`)),
  ]);
});

test('when an admin agrees, the bot is installed, and the page and a direct message give the next step', async () => {
  const direct = { body: { ok: true, channel: { id: 'D0ADMIN' } } };
  const bot = await startInstallBot({ prepare: ({ script }) => script('conversations.open', direct) });
  const { status, text } = await bot.install();
  expect([status, text]).toEqual([200, expect.stringContaining('<h1>Workflow Bot is in Acme</h1>')]);
  expect(text).toContain('/workflow connect');
  const sent = await bot.slack.until(() => bot.slack.calls.find(({ method }) => method === 'chat.postMessage'));
  expect(sent).toMatchObject({ token: 'xoxb-canary-granted', fields: { channel: 'D0ADMIN' } });
  expect(sent.fields['text']).toContain('Next, connect this workspace');
  expect(sent.fields['blocks']).toContain('"value":"connect"');
  expect(await bot.store.installations.find('T1')).toMatchObject({ installedBy: 'U0ADMIN', installedAt: installNow });
  await expect.poll(() => bot.store.outbox.pending('welcome')).toEqual([]);
});

const welcomeKey = { teamId: 'T1', kind: 'welcome', subject: 'U0ADMIN', occurrenceId: String(installNow) };
const direct = { body: { ok: true, channel: { id: 'D0ADMIN' } } };
const isWelcome = ({ method }: { readonly method: string }) => method === 'chat.postMessage';

test('a direct message that a crash prevented is sent after a restart, once', async () => {
  const { store } = await startInstallBot();
  await store.installations.save('T1', { ...installation, installedBy: 'U0ADMIN', tokenExpiresAt: null });
  await store.outbox.schedule(welcomeKey, installNow);
  const bots = await Promise.all(
    [1, 2].map(() => startInstallBot({ store, prepare: ({ script }) => script('conversations.open', direct) })),
  );
  await expect.poll(() => bots.flatMap(({ slack }) => slack.calls.filter(isWelcome)).length).toBe(1);
  await expect.poll(() => store.outbox.pending('welcome')).toEqual([]);
});

test.each([
  ['that Slack has taken is not sent again', true, 0],
  ['that Slack has not taken is sent', false, 1],
])('a direct message of an interrupted attempt %s', async (_, isPosted, sentCount) => {
  const opaqueId = 'o1';
  const metadata = { event_type: 'workflow_bot_message', event_payload: { id: opaqueId } };
  const messages = isPosted ? [{ ts: '1.1', user: installation.botUserId, metadata }] : [];
  const { store, pass } = await startInstallBot();
  await store.installations.save('T1', { ...installation, installedBy: 'U0ADMIN', tokenExpiresAt: null });
  await store.outbox.schedule(welcomeKey, installNow);
  const claim = await store.outbox.open(welcomeKey, { channelId: 'D0ADMIN', leaseMs: 20_000 });
  if (claim.kind !== 'mine') return expect.fail('Another process has it.');
  const { lease } = claim.delivery;
  await lease.addMessages([{ name: 'root', opaqueId }], 0);
  await lease.recordIntent('root', 1000);
  await lease.defer(0);
  // Slack's history shows every post by then.
  pass(60_000);
  const bot = await startInstallBot({
    store,
    prepare: ({ script }) => {
      script('conversations.open', direct);
      script('conversations.history', { body: { ok: true, messages, has_more: false } });
    },
  });
  await expect.poll(() => store.outbox.pending('welcome')).toEqual([]);
  expect(bot.slack.calls.filter(isWelcome)).toHaveLength(sentCount);
});

test('no token, code or secret is in a page, a log or an address', async () => {
  const bot = await startInstallBot();
  const refreshable = { access_token: 'xoxe.xoxb-canary-1', refresh_token: 'xoxe-canary-1', expires_in: 43_200 };
  const { text, headers } = await bot.install(refreshable);
  await bot.log.until('bot was installed');
  for (const seen of [text, JSON.stringify([...headers]), bot.log.text()]) expect(seen).not.toContain('canary');
  const asked = bot.slack.calls.find(isGrant);
  expect(asked?.fields).toMatchObject({ code: 'canary-code', client_secret: clientSecret });
});

test('lifecycle/oauth-no-state: a return without a state installs nothing', async () => {
  const { browser, slack, store } = await startInstallBot();
  const mine = browser();
  const mines = await mine.begin();
  const changed = `${mines[0] === 'a' ? 'b' : 'a'}${mines.slice(1)}`;
  for (const state of [{}, { state: '' }, { state: 'a'.repeat(72) }, { state: changed }, { state: `${mines}=` }]) {
    expect(await mine.comeBack({ code: 'c', ...state })).toMatchObject({ status: 400 });
  }
  expect([slack.calls, await store.installations.page('', 9)]).toEqual([[], []]);
});

test('lifecycle/oauth-other-browser: an attempt ends in the browser in which it began', async () => {
  const { browser, slack, store } = await startInstallBot();
  const [victim, mine] = [browser(), browser()];
  const state = await mine.begin();
  expect((await victim.comeBack({ code: 'c', state })).status).toBe(400);
  await victim.begin();
  expect((await victim.comeBack({ code: 'c', state })).text).toContain('no longer works');
  expect([slack.calls, await store.installations.page('', 9)]).toEqual([[], []]);
});

test('an attempt can be completed once, within ten minutes', async () => {
  const bot = await startInstallBot();
  const mine = bot.browser();
  const [first, second] = [await mine.begin(), await mine.begin()];
  bot.slack.script('oauth.v2.access', { body: grantOf() });
  expect((await mine.comeBack({ code: 'c', state: first })).status).toBe(200);
  expect((await mine.comeBack({ code: 'd', state: first })).text).toContain('no longer works');
  bot.pass(tenMinutesMs);
  expect((await mine.comeBack({ code: 'e', state: second })).status).toBe(400);
  expect(bot.slack.calls.filter(isGrant)).toHaveLength(1);
});

test('two attempts in one browser can both be completed', async () => {
  const bot = await startInstallBot();
  const mine = bot.browser();
  const states = [await mine.begin(), await mine.begin()];
  bot.slack.script('oauth.v2.access', ...states.map(() => ({ body: { ok: false, error: 'invalid_code' } })));
  const visits = [
    await mine.comeBack({ code: 'c', state: states[0] ?? '' }),
    await mine.comeBack({ code: 'c', state: states[1] ?? '' }),
  ];
  expect(visits.map(({ text }) => text.includes('Slack refused the installation (invalid_code).'))).toEqual([
    true,
    true,
  ]);
});

test('lifecycle/oauth-denied: a person who declines reads that it was cancelled', async () => {
  const { browser, slack, store } = await startInstallBot();
  const mine = browser();
  const { status, text } = await mine.comeBack({ error: 'access_denied', state: await mine.begin() });
  expect([status, text]).toEqual([200, expect.stringContaining('was cancelled')]);
  expect(text).toContain('<a href="/slack/install">Start again</a>');
  expect([slack.calls, await store.installations.page('', 9)]).toEqual([[], []]);
});

test('an error from Slack in place of a code installs nothing and is not repeated', async () => {
  const { browser } = await startInstallBot();
  const mine = browser();
  const { status, text } = await mine.comeBack({ error: '<b>invalid_scope', state: await mine.begin() });
  expect([status, text.includes('invalid_scope')]).toEqual([400, false]);
  expect(text).toContain('The bot was not installed');
});

test.each([
  [
    'a code that Slack refuses',
    { body: { ok: false, error: 'code_already_used' } },
    400,
    'Slack refused the installation (code_already_used).',
  ],
  ['a Slack that does not answer', 'drop', 503, 'Try again in a minute'],
  ['a Slack that is broken', { status: 500, body: 'down' }, 503, 'Try again in a minute'],
  ['an answer without a token', { body: { ok: true, team: { id: 'T1' } } }, 503, 'Try again in a minute'],
] as const)('%s installs nothing and says so', async (_, reply, status, words) => {
  const { browser, slack, store } = await startInstallBot({
    prepare: ({ script }) => script('oauth.v2.access', reply),
  });
  const mine = browser();
  const visit = await mine.comeBack({ code: 'c', state: await mine.begin() });
  expect([visit.status, visit.text]).toEqual([status, expect.stringContaining(words)]);
  expect([slack.calls.length, await store.installations.page('', 9)]).toEqual([1, []]);
});

test.each([
  ['a user’s token', { token_type: 'user', access_token: 'xoxp-canary' }],
  ['a token that ends and cannot be refreshed', { expires_in: 43_200 }],
  ['a workspace whose id is a path', { team: { id: '../../etc/passwd', name: 'x' } }],
  ['a workspace without an id', { team: null }],
  ['no person who installed it', { authed_user: null }],
])('%s is not an installation', async (_, fields) => {
  const bot = await startInstallBot();
  expect((await bot.install(fields)).status).toBe(503);
  expect(await bot.store.installations.page('', 9)).toEqual([]);
});

const ownFacts = { ok: true, team_id: 'T1', user_id: 'U0BOT', bot_id: 'B0BOT' };

test.each([
  ['auth.test', { ...ownFacts, app_id: 'A2' }, { ok: false, error: 'unknown_method' }],
  ['bots.info', ownFacts, { ok: true, bot: { id: 'B0BOT', app_id: 'A2' } }],
])(
  'a token of another app according to %s is not an installation, and the page names the setting to check',
  async (_, owner, own) => {
    const bot = await startInstallBot({
      prepare: ({ script }) => {
        script('auth.test', { body: owner });
        script('bots.info', { body: own });
      },
    });
    const { status, text } = await bot.install();
    expect([status, text]).toEqual([
      400,
      expect.stringMatching(/a token of the app A2 while the app A1 was installed/),
    ]);
    expect(text).toContain('SLACK_CLIENT_ID and SLACK_CLIENT_SECRET');
    expect(text).not.toContain('canary');
    expect(await bot.store.installations.page('', 9)).toEqual([]);
  },
);

test.each([
  ['is of the installed app', [{ body: { ...ownFacts, app_id: 'A1' } }], false],
  ['names no app', [{ body: ownFacts }], true],
  ['cannot be asked about', ['drop' as const], true],
])('a token that %s is installed, and the log names what Slack did not return', async (_, replies, isSaid) => {
  const bot = await startInstallBot({ prepare: ({ script }) => script('auth.test', ...replies) });
  expect((await bot.install()).status).toBe(200);
  const message =
    'slack did not return the app of the token, so it is not known if the token belongs to the installed app';
  expect(bot.log.messages().includes(message)).toBe(isSaid);
});

test('while the store is down nothing is installed, the page says so, and the start of an attempt writes nothing', async () => {
  const bot = await startInstallBot();
  const mine = bot.browser();
  const state = await mine.begin();
  await bot.store.close();
  expect((await mine.comeBack({ code: 'c', state })).status).toBe(503);
  expect((await mine.get('/slack/install/begin')).status).toBe(302);
  expect((await mine.get('/slack/install')).status).toBe(200);
});

test('a workspace’s name is text, whatever it says', async () => {
  const bot = await startInstallBot();
  const { text } = await bot.install({ team: { id: 'T1', name: '<script>alert("x")</script>' } });
  expect(text).toContain('&lt;script&gt;alert(&quot;x&quot;)');
  expect(text).not.toContain('<script');
});

test('lifecycle/oauth-install-race: two admins who agree at once leave one installation', async () => {
  const bot = await startInstallBot();
  const grants = ['U0ADMIN', 'U0OTHER'].map((id) => ({ body: grantOf({ authed_user: { id } }) }));
  bot.slack.script('oauth.v2.access', ...grants);
  const admins = [bot.browser(), bot.browser()];
  const visits = admins.map(async (admin) => admin.comeBack({ code: 'c', state: await admin.begin() }));
  expect((await Promise.all(visits)).map(({ status }) => status)).toEqual([200, 200]);
  expect(await bot.store.installations.page('', 9)).toHaveLength(1);
  expect(await bot.store.roles.list('T1')).toHaveLength(1);
});

test('lifecycle/reinstall: settings and key are kept, the token is another', async () => {
  const direct = { body: { ok: true, channel: { id: 'D0ADMIN' } } };
  const bot = await startInstallBot({ prepare: ({ script }) => script('conversations.open', direct, direct) });
  const { store, slack } = bot;
  await bot.install();
  await store.settings.change('T1', { isRedacting: false }, 'U0ADMIN', 1);
  await store.credentials.connect('T1', credential);
  bot.pass(1_000);
  const { text: page } = await bot.install({ access_token: 'xoxb-canary-anew' });
  expect(page).toContain('its key and settings are unchanged');
  expect(await store.installations.openTokens('T1')).toMatchObject({ botToken: 'xoxb-canary-anew' });
  expect(await store.settings.read('T1')).toMatchObject({ isRedacting: false });
  expect(await store.credentials.openApiKey('T1')).toMatchObject({ apiKey: 'a-key' });
  const said = (text: string | undefined) => text?.includes('The key and the settings did not change');
  await slack.until(() =>
    slack.calls.find(({ method, fields }) => method === 'chat.postMessage' && said(fields['text'])),
  );
});

const credential = {
  endpoint: 'https://service.example/graphql',
  apiKey: 'a-key',
  keyHint: '…key',
  organizationId: 'o-1',
  organizationName: 'Acme',
  connectedBy: 'U0ADMIN',
  connectedAt: 1,
};

test('the person who installed it is recorded and becomes the first admin', async () => {
  const bot = await startInstallBot();
  await bot.install();
  await bot.bot.stop();
  expect(await bot.store.roles.of('T1', 'U0ADMIN')).toBe('admin');
  expect(await bot.store.audit.page('T1', 9)).toMatchObject([
    { userId: 'U0ADMIN', action: 'installed', at: installNow, detail: { scopes: botScopes.join(', ') } },
    { userId: 'U0ADMIN', action: 'role granted', at: installNow, detail: { to: 'U0ADMIN', role: 'admin' } },
  ]);
});

test('an installation whose first admin could not be stored is not stored, and succeeds when it is repeated', async () => {
  const url = await newSqlite();
  const bot = await startInstallBot({ store: await openTestStore(url) });
  const beside = await openBeside(url);
  await sql`create trigger full before insert on audit begin select raise(abort, 'full'); end`.execute(beside);
  expect((await bot.install()).status).toBe(503);
  expect([await bot.store.installations.find('T1'), await bot.store.roles.list('T1')]).toEqual([undefined, []]);
  await sql`drop trigger full`.execute(beside);
  expect((await bot.install({ authed_user: { id: 'U0OTHER' } })).status).toBe(200);
  expect(await bot.store.roles.list('T1')).toMatchObject([{ userId: 'U0OTHER', role: 'admin' }]);
});

test('a person who installs it again, also after it was uninstalled, gets no right by that', async () => {
  const bot = await startInstallBot();
  await bot.install();
  await bot.install({ authed_user: { id: 'U0OTHER' } });
  await bot.store.installations.markUninstalled('T1', installNow);
  await bot.install({ authed_user: { id: 'U0OTHER' } });
  expect(await bot.store.roles.list('T1')).toMatchObject([{ userId: 'U0ADMIN', role: 'admin' }]);
});
