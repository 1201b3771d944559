/** Outside text is masked before it is cut, so few files may cut. */
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Each of them cuts text that is already masked. */
const cutting = [
  'src/bot/slack/outbound/delivery/payload.ts',
  'src/bot/views/blocks/blocks.ts',
  'src/bot/views/blocks/message.ts',
  'src/bot/views/format/error-text.ts',
  'src/bot/views/notices/link-preview.ts',
];
const cuts = /import \{[^}]*\btruncate(Middle)?\b[^}]*\} from '/;

it('only files that cut masked text cut at all: half of a secret does not look like one', () => {
  const importers = globSync('src/**/*.ts').filter((path) => cuts.test(readFileSync(path, 'utf8')));
  expect(importers.sort()).toEqual(cutting);
});
