/** Menus that complete names, in the local Slack. */
import { describe, expect, it } from 'vitest';
import type { NameSearch } from '../../src/commands/search-names.ts';
import { AppError } from '../../src/core/errors.ts';
import { personId } from '../../src/playground/seed.ts';
import { commandSearch } from '../../src/views/kit/command-button.ts';
import { startTestBot } from '../support/bot.ts';
import { fakeTeamId } from '../support/fake-slack.ts';
import { useWholeBot } from '../support/whole-bot.ts';

const ada = useWholeBot();

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

  it('shows the status of the one that is chosen, to whoever chose it', async () => {
    const person = await ada();
    const answer = await person.press(await person.type('help'), 'Status of…', 'payments');
    expect(answer.text).toMatch(/^:red_circle: payments is failing/);
    expect(answer.viewer).toBe(personId('ada'));
  });

  it('offers a hostile name as its characters', async () => {
    const person = await ada();
    const offered = await person.search(await person.type('help'), 'Status of…', 'bold');
    expect(offered).toEqual(['<!channel> *bold* <https://evil.example|click>']);
  });
});

describe('a menu beside what was not found', () => {
  it('keeps the command and its window for the one that is chosen', async () => {
    const person = await ada();
    const none = await person.type('failures qqqqqqqqqqqqqq 7d');
    expect((await person.press(none, 'Find it by name…', 'settlement')).text).toContain('settlement: ');
  });
});

describe('where names cannot be had', () => {
  it.each<[string, NameSearch]>([
    ['because the service refuses', async () => Promise.reject(new AppError('unauthorized', 'no key'))],
    ['because something is broken', async () => Promise.reject(new Error('broken'))],
    ['in time', () => new Promise(() => undefined)],
  ])('%s nothing is offered, and the menu is answered all the same', async (_, searchNames) => {
    const person = await ada({ searchNames, timing: { acknowledgeWithinMs: 20, finishWithinMs: 20 } });
    expect(await person.search(await person.type('help'), 'Status of…', 'pay')).toEqual([]);
  });

  it('by somebody from another workspace nothing is offered', async () => {
    const payments = { uuid: 'w-1', name: 'payments', status: 'ACTIVE', workflowId: 'f'.repeat(64) } as const;
    await using run = await startTestBot({ searchNames: async () => [payments] });
    const [menu] = commandSearch({ placeholder: 'a', mode: 'open', lineFor: (uuid) => `status ${uuid}` });
    const offeredTo = async (team_id: string) => {
      const user = { id: 'U0EVE', username: 'eve', team_id };
      const place = { team: { id: fakeTeamId, domain: 'fake' }, channel: { id: 'C0OPS', name: 'ops' }, user };
      const asked = { type: 'block_suggestion', action_id: menu?.action_id, block_id: 'b', value: '', ...place };
      return (await run.slack.send('interactive', asked)).payload;
    };
    expect(await offeredTo('T0OTHER')).toEqual({ options: [] });
    expect(await offeredTo(fakeTeamId)).toMatchObject({ options: [{ value: 'status w-1' }] });
  });
});
