/** Contract of every command, run against the real service. */
import { describe, expect, it } from 'vitest';
import type { AnyCommand } from '../../../src/bot/commands/framework/command.ts';
import * as registry from '../../../src/bot/commands/registry.ts';
import type { Message } from '../../../src/bot/views/blocks/message.ts';
import { modalView } from '../../../src/bot/views/blocks/modal.ts';
import { validateView } from '../../../src/shared/block-kit/validate.ts';
import { useTestCommands } from '../../support/bot/commands.ts';
import { expectGoodMessage, linksOf } from '../../support/insight/message-rules.ts';
import { expectEvery } from '../../support/runner/every.ts';

const commands = Object.entries(registry);
const test = useTestCommands();

/** An export reads all its pages each time, because it is too large for the cache. */
function isRemembered({ name }: AnyCommand): boolean {
  return name !== 'export';
}

/** The only addresses that the sample has. */
function artifactsIn({ blocks }: Message): readonly string[] {
  return linksOf(blocks).filter((url) => url.startsWith('https://artifacts.example/'));
}

describe.each(commands)('the command %s', (exportName, command) => {
  it('is exported under its name, from a folder with its name', async () => {
    const folder: Record<string, unknown> = await import(`../../../src/bot/commands/words/${command.name}/command.ts`);
    expect(exportName).toBe(command.name);
    expect(Object.values(folder)).toContain(command);
  });

  it('describes itself in one sentence without a full stop', () => {
    expect(command.summary).toMatch(/^[a-z].*[^.]$/);
    expectEvery(command.examples, (example) => example.split(' ')[0] === command.name);
  });

  it('has a usage that names its arguments', () => {
    for (const flag of [...command.accepts.keys()].filter((key) => !['text', 'window'].includes(key))) {
      expect(command.usage).toContain(`--${flag}`);
    }
    expect(command.usage.includes('[window]')).toBe(command.accepts.has('window'));
  });

  it.each(command.examples)('answers its example “%s” within Slack’s limits', async (example) => {
    const { messages, modals, isProblem } = await test().run(example);
    expect(isProblem).toBe(false);
    for (const modal of modals) expect(validateView(modalView(modal), 'modal')).toEqual([]);
    for (const message of messages) expectGoodMessage(message, artifactsIn(message));
  });

  it.each(isRemembered(command) ? command.examples : [])(
    'answers “%s” a second time without waiting',
    async (example) => {
      await test().run(example);
      expect((await test().run(example)).hasWaited).toBe(false);
    },
  );

  // A command that only opens a form reads nothing that follows it.
  if (!command.form || command.accepts.size > 0) {
    it('refuses a flag it does not have, with its usage and an example', async () => {
      const { answer, text } = await test().type(`${command.name} --no-such-flag 1`);
      expect(answer.isProblem).toBe(true);
      expect(text).toMatch(/Unknown option --no-such-flag\..*Usage.*Example/s);
      expectGoodMessage(answer.message);
    });
  }
});
