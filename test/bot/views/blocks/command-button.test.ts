/** The menu that finds workflows: its action id carries its command line. */
import { describe, expect, it } from 'vitest';
import { commandButton, commandSearch, parseSearchActionId } from '../../../../src/bot/views/blocks/command-button.ts';

const menuFor = (lineFor: (uuid: string) => string) =>
  commandSearch({ placeholder: 'Choose a workflow', mode: 'replace', lineFor })[0]?.action_id ?? '';

describe('a workflow search menu', () => {
  it.each(['status * 7d', 'executions * --status failure 24h', 'export * --format json', '*'])(
    'runs “%s” with the chosen workflow in place of the star',
    (line) => {
      const lineFor = (uuid: string) => line.replace('*', uuid);
      expect(parseSearchActionId(menuFor(lineFor))?.('w-1')).toBe(lineFor('w-1'));
    },
  );

  it('inserts any uuid unchanged', () => {
    const parsed = parseSearchActionId(menuFor((uuid) => `status ${uuid} 7d`));
    for (const uuid of ['$&', '$1', '00000000-0000-0000-0000-000000000000']) {
      expect(parsed?.(uuid)).toBe(`status ${uuid} 7d`);
    }
  });

  it('is omitted if the line would not fit into an option', () => {
    const lineFor = (uuid: string) => `status ${uuid} 2026-11-20T10:00:00Z..2026-11-20T12:00:00Z`;
    expect(commandSearch({ placeholder: 'Choose a workflow', mode: 'open', lineFor })).toEqual([]);
  });

  it.each([
    'cmd:open:list',
    'cmd:explode:search:status',
    'search:status',
    '',
    commandButton({ label: 'a', line: 'list', mode: 'open' }).action_id ?? '',
  ])('does not have the action id “%s”', (id) => {
    expect(parseSearchActionId(id)).toBeUndefined();
  });
});
