/** Menus that complete names, in the local Slack. */
import { describe, expect, it } from 'vitest';
import type { NameSearch } from '../../../../../src/bot/commands/lookup/menu-search.ts';
import { commandSearch } from '../../../../../src/bot/views/blocks/command-button.ts';
import { personId } from '../../../../../src/local-slack/state/seed.ts';
import { AppError } from '../../../../../src/shared/errors.ts';
import { startTestBot } from '../../../../support/bot/bot.ts';
import { useWholeBot } from '../../../../support/bot/whole-bot.ts';
import { fakeTeamId } from '../../../../support/slack/fake-slack.ts';
import { startHttpBot } from '../../../../support/slack/signed-http.ts';

const ada = useWholeBot();
const payments = { uuid: 'w-1', name: 'payments', status: 'ACTIVE', workflowId: 'f'.repeat(64) } as const;

/** Slack's request when a member opens the menu. */
function asked(team_id: string) {
  const [menu] = commandSearch({ placeholder: 'a', mode: 'open', lineFor: (uuid) => `status ${uuid}` });
  const user = { id: 'U0EVE', username: 'eve', team_id };
  const place = { team: { id: fakeTeamId, domain: 'fake' }, channel: { id: 'C0OPS', name: 'ops' }, user };
  return { type: 'block_suggestion', action_id: menu?.action_id, block_id: 'b', value: '', ...place };
}

describe('a menu of help', () => {
  it('offers every workflow before anything is typed, those that are deleted last', async () => {
    const person = await ada();
    const offered = await person.search(await person.type('help'), 'Status of…', '');
    expect(offered).toHaveLength(17);
    expect(offered).toContain('loyalty-points (paused)');
    expect(offered.at(-1)).toBe('legacy-payouts (deleted)');
  });

  it.each([
    ['PAY', ['payments', 'payments-eu', 'payments-staging', 'legacy-payouts (deleted)']],
    ['paymnts', ['payments']],
    ['курсы', ['Курсы-валют']],
    ['zzz', []],
  ])('for “%s” offers %j', async (typed, names) => {
    const person = await ada();
    expect(await person.search(await person.type('help'), 'Status of…', typed)).toEqual(names);
  });

  it('shows the status of the chosen workflow to the person who chose it', async () => {
    const person = await ada();
    const answer = await person.press(await person.type('help'), 'Status of…', 'payments');
    expect(answer.text).toMatch(/^:red_circle: payments is failing/);
    expect(answer.viewer).toBe(personId('ada'));
  });

  it('offers as many long names of another alphabet as one acknowledgement takes', async () => {
    const long = Array.from({ length: 100 }, (_, index) => ({ ...payments, name: `${'ш'.repeat(70)}${index}` }));
    const person = await ada({ searchNames: async () => long });
    const offered = await person.search(await person.type('help'), 'Status of…', 'ш');
    expect(offered.length).toBeGreaterThan(20);
    expect(offered).toEqual(
      long.slice(0, offered.length).map(({ name }) => expect.stringContaining(name.slice(0, 60))),
    );
  });

  it('offers a hostile name as its characters', async () => {
    const person = await ada();
    const offered = await person.search(await person.type('help'), 'Status of…', 'bold');
    expect(offered).toEqual(['<!channel> *bold* <https://evil.example|click>']);
  });
});

describe('a menu after an unknown name', () => {
  it('keeps the command and its window for the chosen workflow', async () => {
    const person = await ada();
    const none = await person.type('failures qqqqqqqqqqqqqq 7d');
    expect((await person.press(none, 'Find it by name…', 'settlement')).text).toContain('settlement: ');
  });
});

describe('a menu without options', () => {
  it.each<[string, NameSearch]>([
    ['because the service refuses', async () => Promise.reject(new AppError('unauthorized', 'no key'))],
    [
      'because Slack does not say who the person is',
      async () => Promise.reject(new AppError('unavailable', 'unknown', { isRetryable: true })),
    ],
    ['because something is broken', async () => Promise.reject(new Error('broken'))],
  ])('is the answer if names cannot be loaded %s', async (_, searchNames) => {
    const person = await ada({ searchNames, timing: { acknowledgeWithinMs: 20, finishWithinMs: 20 } });
    expect(await person.search(await person.type('help'), 'Status of…', 'pay')).toEqual([]);
  });

  it.each<[string, NameSearch]>([
    ['is slow', () => new Promise(() => undefined)],
    ['is down', async () => undefined],
  ])(
    'is not the answer while the service %s: commands get the list, a form a note that it refuses',
    async (_, searchNames) => {
      const timing = { acknowledgeWithinMs: 20, finishWithinMs: 20 };
      const person = await ada({ searchNames, timing });
      const offered = await person.search(await person.type('help'), 'Status of…', 'pay');
      expect(offered).toEqual(['No names from the query service yet: list all workflows']);
      const form = await startTestBot({ searchNames, timing });
      await using run = form;
      const inForm = { ...asked(fakeTeamId), action_id: 'find:workflows' };
      expect((await run.slack.send('interactive', inForm)).payload).toMatchObject({
        options: [{ text: { text: 'No names from the query service yet: search again' }, value: 'no names' }],
      });
    },
  );

  it('is the answer to a person whom the dispatcher refuses', async () => {
    const searchNames: NameSearch = async () => Promise.reject(new AppError('forbidden', 'not a member'));
    await using run = await startTestBot({ searchNames });
    expect((await run.slack.send('interactive', asked('T0OTHER'))).payload).toEqual({ options: [] });
  });
});

it('over signed HTTP each request is answered with the options', async () => {
  await using run = await startHttpBot({ searchNames: async () => [payments] });
  for (const _ of [1, 2]) {
    const { status, text } = await run.post({ payload: JSON.stringify(asked(fakeTeamId)) });
    expect([status, JSON.parse(text)]).toMatchObject([200, { options: [{ value: 'status w-1' }] }]);
  }
});
