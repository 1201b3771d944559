/** `cancel`: only the person who began an export can cancel it. */
import { describe, expect, it } from 'vitest';
import type { Person, TestCommands } from '../../../../support/bot/commands.ts';
import { useStuckExports } from '../../../../support/programs/stuck-export.ts';

const stuckExports = useStuckExports();
const person = (userId: string, teamId = 'T1'): Person => ({ teamId, userId, channelId: 'C1' });
const [ada, ben] = [person('UADA'), person('UBEN')];

/** Starts an export. @returns the line of its Cancel button, and its final answer */
async function begin(commands: TestCommands, who: Person) {
  const shown = Promise.withResolvers<string>();
  const onProgress = ({ blocks }: { readonly blocks: readonly unknown[] }) => {
    shown.resolve(/"value":"(cancel [^"]+)"/.exec(JSON.stringify(blocks))?.[1] ?? '');
  };
  const answer = commands.dispatch({ line: 'export payments', actor: who, isFresh: false }, onProgress);
  return { line: await shown.promise, answer };
}

const textOf = (answer: Awaited<ReturnType<TestCommands['dispatch']>>) =>
  answer.kind === 'message' ? answer.message.text : 'a thread';

describe('a running export', () => {
  it('is cancelled by its own line, and the answer names what it had read', async () => {
    const commands = await stuckExports();
    const { line, answer } = await begin(commands, ada);
    expect((await commands.type(line, { person: ada })).text).toContain(
      'Cancelled the export of payments: no file was made.',
    );
    expect(textOf(await answer)).toContain('100 runs had been read, and no file was made');
  });

  it.each([ben, person('UADA', 'T2')])('is not cancelled by %o, whatever they press', async (other) => {
    const commands = await stuckExports();
    const { line, answer } = await begin(commands, ada);
    expect((await commands.type(line, { person: other })).text).toContain('No running export of yours');
    expect((await commands.type('cancel', { person: other })).text).toContain('No running export of yours');
    await commands.type('cancel', { person: ada });
    expect(textOf(await answer)).toContain('no file was made');
  });

  it('is not cancelled by the button of a finished one or by another word, and the answer does not deny it', async () => {
    const commands = await stuckExports();
    const { line, answer } = await begin(commands, ada);
    for (const other of [`${line}0`, 'cancel payments']) {
      const { text } = await commands.type(other, { person: ada });
      expect(text).toMatch(/the export of payments is still running.*type \/workflow cancel\./);
      expect(text).not.toContain('No running export');
    }
    await commands.type('cancel', { person: ada });
    await answer;
    expect((await commands.type(line, { person: ada })).text).toContain('may have finished');
  });

  it('is the only one of its person', async () => {
    const commands = await stuckExports();
    const { answer } = await begin(commands, ada);
    const second = await commands.type('export payments', { person: ada });
    expect(second.answer.isProblem).toBe(true);
    expect(second.text).toContain('The export of payments is still running. You can run one at a time.');
    await commands.type('cancel', { person: ada });
    await answer;
  });
});
