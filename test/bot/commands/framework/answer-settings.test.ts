/** Masking of secrets follows the setting of each workspace at once. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { somebody, startCommandsIn, stringsIn } from '../../../support/bot/every-answer.ts';
import { sameText, startWorld } from '../../../support/service/world.ts';

const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const lines = ['list', 'status token', 'executions', 'logs token', 'execution token', 'export token', 'account'];

async function workspace() {
  const world = await startWorld(() => sameText(`token ${secret}`));
  const commands = await startCommandsIn(world);
  onTestFinished(async () => {
    await commands.close();
    await world[Symbol.asyncDispose]();
  });
  let people = 0;
  /** All that one answer would carry to Slack. */
  const ask = async (line: string, teamId = 'T1') => {
    people += 1;
    const { messages, files } = await commands.run(line, { person: { ...somebody(people), teamId } });
    const texts = await Promise.all(files.map(async ({ content }) => new TextDecoder().decode(await content())));
    return [...stringsIn(messages), ...texts].join('\n');
  };
  const choose = async (redaction: 'on' | 'off') => {
    const actor = { teamId: 'T1', userId: 'UADMIN' };
    const values = { visibility: 'ephemeral', readers: 'everywhere', logs: 'everywhere', redaction };
    expect(await commands.submit({ command: 'settings', actor, values })).toMatchObject({ kind: 'close' });
  };
  return { ask, choose, logged: commands.logged };
}

describe('a workspace that turned masking off', () => {
  it.each(lines)('gets unmasked values in the answer to “%s” and in its files', async (line) => {
    const { ask, choose } = await workspace();
    expect(await ask(line)).not.toContain(secret);
    await choose('off');
    expect(await ask(line)).toContain(secret);
  });

  it('gets masked values at once when masking is on again, even in a cached answer', async () => {
    const { ask, choose } = await workspace();
    await choose('off');
    for (const line of lines) await ask(line);
    await choose('on');
    for (const line of lines) expect(await ask(line)).not.toContain(secret);
  });

  it('changes neither a concurrent answer to another workspace nor the log', async () => {
    const { ask, choose, logged } = await workspace();
    await choose('off');
    const asked = lines.flatMap((line) => [ask(line), ask(line, 'T2')]);
    const answers = await Promise.all(asked);
    expect(answers.filter((_, index) => index % 2 === 1).filter((answer) => answer.includes(secret))).toEqual([]);
    expect(answers.filter((answer) => answer.includes(secret))).toHaveLength(lines.length);
    expect(logged()).not.toContain(secret);
  });
});
