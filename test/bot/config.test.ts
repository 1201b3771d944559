/** The settings. */
import { describe, expect, it } from 'vitest';
import { readConfig, readStoreConfig } from '../../src/bot/config.ts';

const complete = {
  SLACK_BOT_TOKEN: 'xoxb-1-2-abc',
  SLACK_APP_TOKEN: 'xapp-1-A1-2-abc',
  QUERY_SERVICE_URL: 'https://service.example.com/graphql',
};

const overHttp = {
  SLACK_SIGNING_SECRET: 'a-signing-secret-of-slack',
  SLACK_CLIENT_ID: '1.2',
  SLACK_CLIENT_SECRET: 'a-client-secret-of-slack',
  PUBLIC_URL: 'https://bot.example.com',
  QUERY_SERVICE_URL: complete.QUERY_SERVICE_URL,
  ENCRYPTION_KEYS_FILE: 'encryption.keys',
};

function problemsOf(environment: Readonly<Record<string, string>>) {
  const result = readConfig(environment);
  return result.isValid ? [] : result.problems;
}

describe('the settings', () => {
  it('without Slack tokens mean the playground', () => {
    const expected = { mode: 'playground', playgroundPort: 3000, servicePort: 4000, slackCommand: '/workflow' };
    expect(readConfig({})).toMatchObject({ isValid: true, config: expected });
  });

  it('with both tokens and a query service mean Socket Mode', () => {
    const expected = {
      mode: 'socket',
      slackApiUrl: 'https://slack.com/api/',
      queryServiceUrl: complete.QUERY_SERVICE_URL,
    };
    expect(readConfig(complete)).toMatchObject({ isValid: true, config: expected });
  });

  it.each(Object.keys(complete))('half a set is refused and names %s', (name) => {
    const rest = Object.fromEntries(Object.entries(complete).filter(([other]) => other !== name));
    expect(problemsOf(rest)).toEqual([`${name} is missing; Socket Mode needs it.`]);
  });

  it('may contain a key for the single workspace, which otherwise connects itself', () => {
    const given = readConfig({ ...complete, QUERY_SERVICE_API_KEY: 'key-of-the-organization' });
    expect(given).toMatchObject({ config: { queryServiceApiKey: 'key-of-the-organization' } });
    expect(readConfig(complete)).toMatchObject({ config: { queryServiceApiKey: undefined } });
  });

  it('list further query services, and refuse an invalid address', () => {
    const listed = (text: string) => readConfig({ ...complete, QUERY_SERVICE_ORIGINS: text });
    const entries = ['https://a.example', 'private:https://b.example/graphql', 'http://10.0.0.1'];
    expect(listed(entries.join(', '))).toMatchObject({ config: { queryServiceOrigins: entries } });
    for (const wrong of ['a.example', 'ftp://a.example', 'https://key@a.example', 'https://a.example/?key=1']) {
      expect(listed(`https://a.example ${wrong}`)).toMatchObject({ isValid: false });
    }
  });

  it('report every problem at once, each beginning with its variable', () => {
    const problems = problemsOf({
      ...complete,
      SLACK_BOT_TOKEN: 'xoxp-1',
      PLAYGROUND_PORT: '70000',
      LOG_LEVEL: 'loud',
    });
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'SLACK_BOT_TOKEN',
      'PLAYGROUND_PORT',
      'LOG_LEVEL',
    ]);
  });

  it('never repeat a value: it may be a secret in the wrong place', () => {
    const canary = 'canary-5f1c';
    const names = Object.keys({ ...complete, ...overHttp });
    const environment = Object.fromEntries(names.map((name) => [name, `${canary} ${name}`]));
    expect(problemsOf({ ...environment, SLACK_API_URL: canary }).join()).not.toContain(canary);
  });

  it.each([
    ...['https:///u:p@slack.example/api/', 'https://slack.example./api/', 'https://slack.example/a/../api/'],
    ...['https:slack.example/api/', 'https://slack.example\\api/', 'https://slack.example/%2e%2e/api/'],
  ])('refuse %s as Slack’s address: parsers do not agree on where it leads', (address) => {
    expect(problemsOf({ ...complete, SLACK_API_URL: address })).toEqual([
      expect.stringMatching(/^SLACK_API_URL must /),
    ]);
  });

  it('with an app’s secrets and a public URL mean HTTP mode', () => {
    const expected = { mode: 'http', host: '127.0.0.1', port: 8080, publicUrl: 'https://bot.example.com' };
    const given = { ...overHttp, PUBLIC_URL: 'https://Bot.example.com/' };
    expect(readConfig(given)).toMatchObject({ isValid: true, config: expected });
  });

  it.each(Object.keys(overHttp))('half a set of HTTP mode is refused and names %s', (name) => {
    const rest = Object.fromEntries(Object.entries(overHttp).filter(([other]) => other !== name));
    expect(problemsOf(rest)).toEqual([expect.stringMatching(`^${name} is missing; HTTP mode `)]);
  });

  it('of both modes together are refused, each by its name', () => {
    const both = { SLACK_BOT_TOKEN: complete.SLACK_BOT_TOKEN, SLACK_CLIENT_ID: '1.2', PUBLIC_URL: 'https://b.example' };
    const problems = problemsOf(both);
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual(Object.keys(both));
    expect(problems.join()).toContain('in Socket Mode or in HTTP mode, not in both');
  });

  it('of HTTP mode contain no key: each workspace has its own', () => {
    expect(problemsOf({ ...overHttp, QUERY_SERVICE_API_KEY: 'a-key' })).toEqual([
      expect.stringContaining('QUERY_SERVICE_API_KEY cannot be set here'),
    ]);
  });

  it.each([
    'http://bot.example.com',
    'http://localhost.example.com',
    'https://bot.example.com/path',
    'https://user@bot.example.com',
    'https://bot.example.com?x',
    'bot.example.com',
  ])('%s is no address to be reached at', (url) => {
    expect(problemsOf({ ...overHttp, PUBLIC_URL: url })).toEqual([expect.stringMatching(/^PUBLIC_URL must /)]);
  });

  it.each(['http://localhost:8080', 'http://127.0.0.1:3001/', 'https://bot.example.com:8443'])(
    '%s is a valid public URL',
    (url) => {
      expect(readConfig({ ...overHttp, PUBLIC_URL: url })).toMatchObject({
        config: { publicUrl: url.replace(/\/$/, '') },
      });
    },
  );

  it.each(['ftp://example.com/', 'example.com', 'https://user:word@example.com/graphql'])(
    '%s is not a valid endpoint',
    (url) => {
      expect(problemsOf({ ...complete, QUERY_SERVICE_URL: url })).toHaveLength(1);
    },
  );

  it.each([
    ['WEB_WORKFLOW_LINK', 'https://platform.example/w', 'must have {workflowUuid} in place of the id'],
    ['WEB_WORKFLOW_LINK', 'https://platform.example/{workflowUuid}/{name}', 'may have {workflowUuid} in braces'],
    ['WEB_EXECUTION_LINK', 'https://{executionUuid}.example/', 'must name its host in full'],
    ['WEB_EXECUTION_LINK', 'javascript:{executionUuid}', 'must be a URL that begins with http:// or https://'],
  ])('refuse for %s %s: it %s', (name, link, problem) => {
    expect(problemsOf({ ...complete, [name]: link }).join()).toContain(`${name} ${problem}`);
  });

  it('treat an empty value as absent', () => {
    expect(readConfig({ SLACK_BOT_TOKEN: '', PLAYGROUND_PORT: '' })).toMatchObject({
      config: { playgroundPort: 3000 },
    });
  });

  it.each(['sqlite:data/bot.db', 'postgres://bot:word@db.example/bot', 'postgresql:///bot'])(
    'accept %s as a store',
    (url) => {
      expect(readConfig({ DATABASE_URL: url })).toMatchObject({ isValid: true, config: { databaseUrl: url } });
    },
  );

  it.each(['mysql://x/y', 'bot.db', 'postgres:', 'sqlite:'])('refuse %s as a store', (url) => {
    expect(problemsOf({ DATABASE_URL: url })).toEqual([expect.stringContaining('DATABASE_URL')]);
  });

  it('prefer a keyring file to keys in the environment, and may have neither', () => {
    const keyringOf = (environment: Readonly<Record<string, string>>) => {
      const result = readStoreConfig(environment);
      return result.isValid ? result.config.keyring : result.problems;
    };
    expect(keyringOf({ ENCRYPTION_KEYS_FILE: 'keys', ENCRYPTION_KEYS: 'a:b' })).toEqual({ kind: 'file', path: 'keys' });
    expect(keyringOf({ ENCRYPTION_KEYS: 'a:b' })).toEqual({ kind: 'text', text: 'a:b' });
    expect(keyringOf({ SLACK_BOT_TOKEN: 'half a set' })).toBeUndefined();
  });
});
