/** Suggestions of menus while a person types. */
import { expect, it } from 'vitest';
import { useTestCommands } from '../../../support/bot/commands.ts';

let now = Date.parse('2026-11-21T10:30:00Z');
const commands = useTestCommands({ clock: () => now });
const person = { teamId: 'T1', userId: 'UTYPES' };

it.each(['searchNames', 'searchZones'] as const)(
  '%s answers a person sixty times in ten seconds, and others',
  async (menu) => {
    now += 10_000;
    const search = commands()[menu];
    const refused = {
      code: 'rate_limited',
      publicMessage: expect.stringContaining('Rate limit: 10 requests per 10 s'),
    };
    for (let typed = 1; typed <= 60; typed += 1) await search(person, 'pay');
    await expect(search(person, 'pay')).rejects.toMatchObject(refused);
    await search({ ...person, userId: 'UOTHER' }, 'pay');
    now += 10_000;
    await search(person, 'pay');
  },
);

it('suggestions, commands and Refresh of the Home tab count in one quota', async () => {
  now += 10_000;
  const { dispatch, homeOf, searchNames, searchZones } = commands();
  const runs = async () => {
    const answer = await dispatch({ line: 'help', actor: { ...person, channelId: 'C1' }, isFresh: false });
    return answer.kind === 'message' && !answer.isProblem;
  };
  const refreshes = async () => (await homeOf(person, true)).notRefreshed === undefined;
  for (let typed = 1; typed <= 6; typed += 1) {
    await searchNames(person, 'pay');
    await searchZones(person, 'vie');
    expect(await runs()).toBe(true);
  }
  expect([await refreshes(), await refreshes()]).toEqual([true, true]);
  expect([await runs(), await refreshes()]).toEqual([false, false]);
  await expect(searchNames(person, 'pay')).rejects.toMatchObject({ code: 'rate_limited' });
  await expect(searchZones(person, 'vie')).rejects.toMatchObject({ code: 'rate_limited' });
});
