/** The emoji that answers are written with. */
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { verdicts } from '../../../src/bot/insight/health/health.ts';
import { verdictEmoji } from '../../../src/bot/views/format/health.ts';
import { emojiCharacter } from '../../../src/local-slack/page/text/rich-text.ts';

const root = new URL('../../../', import.meta.url).pathname;
const names = globSync(['src/bot/views/**/*.ts', 'src/bot/commands/**/*.ts'], { cwd: root }).flatMap((file) => {
  const source = readFileSync(root + file, 'utf8');
  return [...source.matchAll(/emoji\('([^']+)'\)|say`:([a-z_]+):/g)].map(
    ([, called, written]) => called ?? written ?? '',
  );
});

it.each([...new Set([...names, ...verdicts.map(verdictEmoji)])])(':%s: is drawn by the local Slack', (name) => {
  expect(emojiCharacter(name)).toBeDefined();
});
