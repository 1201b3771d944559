/** The gallery's texts do not depend on the hour at which it is made. */
import { expect, test, vi } from 'vitest';
import { clockEnvironment, galleryStart } from '../../scripts/gallery-clock.ts';
import { directId, personId } from '../../src/local-slack/state/seed.ts';
import { addressesOf, ownPorts } from '../support/programs/playground.ts';
import { startProgram } from '../support/programs/program.ts';
import { pageEvents } from '../support/slack/page-reading.ts';

/** Two playgrounds build their samples, on a machine that may be busy. */
vi.setConfig({ testTimeout: 240_000 });

const commands = [
  ...['payments', 'settlement', 'proof-of-reserves', 'daily-nav-report', 'carbon-credits'].map(
    (name) => `status ${name}`,
  ),
  ...['list', 'failures', 'executions settlement', 'deployments payments'],
];
const [user, channel] = [personId('ada'), directId('ada')];

/** @param machine epoch milliseconds that the machine's clock shows @returns the texts of the answers */
async function textsAt(machine: number): Promise<readonly string[]> {
  const program = startProgram({
    entry: 'src/bin/start.ts',
    environment: {
      ...ownPorts,
      // The gallery's clock, almost stopped: the machine may be slow.
      ...clockEnvironment({ from: Date.now(), start: machine }, { from: machine, start: galleryStart, slowness: 1000 }),
    },
  });
  await program.said(/Ctrl-C stops everything\.\n$/);
  const { url } = addressesOf(program);
  const texts = async (): Promise<readonly string[]> => {
    const next = await pageEvents(url, { user, channel });
    for (;;) {
      const { type, messages } = await next();
      if (type === 'messages') return messages.map(({ text }: { readonly text: string }) => text);
    }
  };
  for (const [index, command] of commands.entries()) {
    const body = JSON.stringify({ user, channel, threadTs: null, text: `/workflow ${command}` });
    await fetch(`${url}/page/send`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await expect.poll(async () => (await texts()).length).toBe(index + 1);
  }
  const answers = await texts();
  program.child.kill('SIGTERM');
  await program.ended;
  return answers;
}

test('a run at 03:00 and one at 17:00 have the same texts', async () => {
  const [night, afternoon] = [Date.UTC(2026, 11, 2, 3), Date.UTC(2026, 11, 2, 17)];
  const texts = await textsAt(night);
  expect(texts[0]).toContain('2026-11-24 09:30 UTC');
  expect(await textsAt(afternoon)).toEqual(texts);
});
