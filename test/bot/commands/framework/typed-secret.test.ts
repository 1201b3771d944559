/** Detection of keys that people type into command lines. */
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasTypedSecret } from '../../../../src/bot/commands/framework/parse.ts';
import * as registry from '../../../../src/bot/commands/registry.ts';
import { directId, personId } from '../../../../src/local-slack/state/seed.ts';
import { startTestCommands, useTestCommands } from '../../../support/bot/commands.ts';
import { connectingBot } from '../../../support/slack/connecting.ts';

const test = useTestCommands();

const of = (alphabet: string, minLength = 24) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength: 64 }).filter((text) => hasTypedSecret([text]));
const digits = '0123456789';
const small = 'abcdefghijklmnopqrstuvwxyz';
const randomKey = fc.oneof(
  of(`${small}${digits}`),
  of(`${small}${small.toUpperCase()}${digits}-_`),
  of(`${small}${small.toUpperCase()}${digits}+/=`),
  fc
    .tuple(fc.constantFrom('wfq_', 'sk_live_', 'ghp_', 'xoxb-1-2-'), of(`${small}${digits}`))
    .map((parts) => parts.join('')),
);
const words = Object.values(registry).map(({ name }) => name);
const misspelled = ['connct', 'conect', 'discnnect', 'stats', 'hlp', 'explode'];
/** Ways to put a key into a line. */
const shapes: readonly ((word: string, key: string) => string)[] = [
  (word, key) => `${word} ${key}`,
  (word, key) => `${word} "${key}"`,
  (word, key) => `${word} Authorization: Apikey ${key}`,
  (word, key) => `${word} --${key} x`,
  (word, key) => `${word} --window ${key}`,
  (word, key) => `${word} --page=${key}`,
  (word, key) => `help ${word} ${key}`,
  (_word, key) => key,
  (word, key) => `${word}${key}`,
];

describe('a random key in a command line', () => {
  it.each(words.concat(misspelled))('%s: is neither repeated, logged, audited nor sent', async (word) => {
    const each = async (shape: (typeof shapes)[number], key: string) => {
      const { messages, modals } = await test().run(shape(word, key));
      const kept = [messages, modals, await test().store.audit.page('T1', 50), test().logged()];
      expect(JSON.stringify(kept).toLowerCase()).not.toContain(key.slice(-16).toLowerCase());
    };
    await fc.assert(fc.asyncProperty(fc.constantFrom(...shapes), randomKey, each), { numRuns: 20 });
  });

  it('is recognised in nearly all of 2,000 lines, and in no ordinary name', () => {
    const random = fc.string({
      unit: fc.constantFrom(...small, ...small.toUpperCase(), ...digits),
      minLength: 24,
      maxLength: 24,
    });
    const found = fc.sample(random, 2000).filter((key) => hasTypedSecret([key])).length;
    expect(found / 2000).toBeGreaterThan(0.98);
    expect(names.filter((name) => hasTypedSecret(name.split(' ')))).toEqual([]);
  });
});

const names = [
  'payment-settlement-v2-eu-west-1-production',
  'PriceFeedUpdaterETHUSDMainnetV2',
  'EthUsdBtcUsdSolUsdMaticUsd',
  '20260203T090000Z-backup',
  'proof-of-reserves-wbtc-2024q3-v2',
  'ccip-lane-eth2arb-m2m-v1-b2b',
  'internationalization',
  '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  '5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  '0x742d35Cc6634C0532925a3b844Bc454e4438f44e',
  'https://example.com/workflows/00000000-0000-4000-8000-000000000001?tab=logs',
  '--before 1732179600000.a1b2c3d4.2026-11-21T09:00',
  'secret santa list',
];

describe('any text after a command without arguments', () => {
  const takesNothing = Object.values(registry).filter(({ accepts }) => accepts.size === 0);
  it.each(takesNothing)('$name: is dropped unread', async ({ name, form }) => {
    for (const typed of ['hunter2', 'correct horse', '--key hunter2', 'Swordfish!']) {
      const { messages, modals } = await test().run(`${name} ${typed}`);
      expect(JSON.stringify([messages, modals]) + test().logged()).not.toMatch(/hunter2|horse|Swordfish/);
      if (form && modals.length > 0) expect(JSON.stringify(modals)).toContain('The bot did not read what you typed');
      if (!form) expect(JSON.stringify(messages)).toMatch(/takes no (arguments|flags)|looks like a secret/);
    }
  });

  it('is not in the button that opens the form from a direct message', async () => {
    const { slack } = await connectingBot(['https://service.example']);
    const place = { user: personId('ada'), channel: directId('ada') };
    const next = slack.nextMessage({
      channel: place.channel,
      matches: ({ text }) => text.includes('Press the button'),
    });
    slack.say({ ...place, text: 'connect hunter2' });
    expect(JSON.stringify((await next).blocks)).toContain('"value":"connect"');
    expect(JSON.stringify(slack.requests)).not.toContain('hunter2');
  });

  it('is not in the button that tries again', async () => {
    const membershipOf = () => Promise.reject(new Error('Slack does not answer.'));
    const other = await startTestCommands({
      people: { membershipOf, knownMembershipOf: () => undefined, knownAdminIds: () => [] },
    });
    onTestFinished(other.close);
    const { messages } = await other.run('connect hunter2');
    expect(JSON.stringify(messages)).toMatch(/Try again.*"value":"connect"/);
    expect(JSON.stringify(messages)).not.toContain('hunter2');
  });
});
