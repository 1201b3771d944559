/** The settings. */
import { describe, expect, it } from 'vitest';
import { readConfig, readStoreConfig } from '../src/config.ts';

const complete = {
  SLACK_BOT_TOKEN: 'xoxb-1-2-abc',
  SLACK_APP_TOKEN: 'xapp-1-A1-2-abc',
  QUERY_SERVICE_URL: 'https://service.example.com/graphql',
  QUERY_SERVICE_API_KEY: 'key-of-the-organization',
};

function problemsOf(environment: Readonly<Record<string, string>>) {
  const result = readConfig(environment);
  return result.isValid ? [] : result.problems;
}

describe('the settings', () => {
  it('without Slack tokens mean the playground', () => {
    const expected = { mode: 'playground', playgroundPort: 3000, servicePort: 4000, slashCommand: '/workflow' };
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
    const environment = Object.fromEntries(Object.keys(complete).map((name) => [name, `${canary} ${name}`]));
    expect(problemsOf({ ...environment, SLACK_API_URL: canary }).join()).not.toContain(canary);
  });

  it('of Slack’s HTTP mode are refused by name rather than ignored', () => {
    expect(problemsOf({ SLACK_SIGNING_SECRET: 'x' })).toEqual([expect.stringContaining('SLACK_SIGNING_SECRET')]);
  });

  it.each(['ftp://example.com/', 'example.com', 'https://user:word@example.com/graphql'])(
    '%s is no endpoint',
    (url) => {
      expect(problemsOf({ ...complete, QUERY_SERVICE_URL: url })).toHaveLength(1);
    },
  );

  it('take an empty value for none', () => {
    expect(readConfig({ SLACK_BOT_TOKEN: '', PLAYGROUND_PORT: '' })).toMatchObject({
      config: { playgroundPort: 3000 },
    });
  });

  it.each(['sqlite:data/bot.db', 'postgres://bot:word@db.example/bot', 'postgresql:///bot'])(
    'take %s for a store',
    (url) => {
      expect(readConfig({ DATABASE_URL: url })).toMatchObject({ isValid: true, config: { databaseUrl: url } });
    },
  );

  it.each(['mysql://x/y', 'bot.db', 'postgres:', 'sqlite:'])('take %s for none', (url) => {
    expect(problemsOf({ DATABASE_URL: url })).toEqual([expect.stringContaining('DATABASE_URL')]);
  });

  it('prefer a keyring’s file to keys in the environment, and know when there is neither', () => {
    const keyringOf = (environment: Readonly<Record<string, string>>) => {
      const result = readStoreConfig(environment);
      return result.isValid ? result.config.keyring : result.problems;
    };
    expect(keyringOf({ ENCRYPTION_KEYS_FILE: 'keys', ENCRYPTION_KEYS: 'a:b' })).toEqual({ kind: 'file', path: 'keys' });
    expect(keyringOf({ ENCRYPTION_KEYS: 'a:b' })).toEqual({ kind: 'text', text: 'a:b' });
    expect(keyringOf({ SLACK_BOT_TOKEN: 'half a set' })).toBeUndefined();
  });
});
