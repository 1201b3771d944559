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
