/** What only the door for outside text may do itself. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** They cut what is masked already, each with a reason in the file. */
const cutting = [
  'src/bot/slack/outbound/delivery/payload.ts',
  'src/bot/views/execution/error-text.ts',
  'src/bot/views/format/outside-text.ts',
  'src/bot/views/blocks/blocks.ts',
  'src/bot/views/blocks/message.ts',
];

describe('the door for outside text', () => {
  it('is the only one to cut: half of a secret no longer looks like one', () => {
    const importers = globSync('src/**/*.ts').filter((path) =>
      /from '[^']*\/cut\.ts'/.test(readFileSync(path, 'utf8')),
    );
    expect(importers.filter((path) => !cutting.includes(path))).toEqual([]);
  });
});
