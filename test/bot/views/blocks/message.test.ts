/** Messages count their masked values once. */
import { describe, expect, it } from 'vitest';
import { actions, context } from '../../../../src/bot/views/blocks/blocks.ts';
import { commandButton } from '../../../../src/bot/views/blocks/command-button.ts';
import { message, withLead } from '../../../../src/bot/views/blocks/message.ts';
import { paragraph, plain, rich } from '../../../../src/bot/views/blocks/rich-text.ts';
import { markup } from '../../../../src/bot/views/format/mrkdwn.ts';
import { limits } from '../../../../src/shared/block-kit/limits.ts';

const key = (end: string) => `Bearer 0123456789abcdefghij${end}`;
const paragraphs = (...lines: readonly string[]) => lines.map((line) => paragraph(rich`${plain(line)}`));
const notesOf = (text: string) => text.match(/\d+ values? that looks? like [a-z ]+ masked\./g);

describe('a message with a sentence in front', () => {
  const lead = rich`Showing ${plain('<!channel>')}.`;
  const answer = { ...message(paragraphs('one', 'two')), line: 'status two' };

  it('begins with it in its blocks and in its text, where typed markup is inert, and keeps its command line', () => {
    const led = withLead(answer, lead);
    expect(led.text.split('\n')).toEqual(['Showing &lt;!channel&gt;.', 'one', 'two']);
    expect(led.blocks).toEqual([paragraph(lead), ...answer.blocks]);
    expect(led.line).toBe('status two');
  });

  it('is the same message without one', () => {
    expect(withLead(answer, [])).toBe(answer);
  });

  it('has no more blocks than Slack allows, and keeps its last, which has the buttons', () => {
    const full = message(
      paragraphs(...Array.from({ length: limits.message.blocksMax }, (_, index) => `line ${index}`)),
    );
    const { blocks } = withLead(full, lead);
    expect(blocks).toHaveLength(limits.message.blocksMax);
    expect([blocks[0], blocks.at(-1)]).toEqual([paragraph(lead), full.blocks.at(-1)]);
  });
});

describe('a message', () => {
  it('counts a masked value that it shows twice once, and two values twice', () => {
    expect(notesOf(message(paragraphs(key('wxyz'), `again: ${key('wxyz')}`)).text)).toEqual([
      '1 value that looks like a secret is masked.',
    ]);
    expect(notesOf(message(paragraphs(key('wxyz'), key('abcd'))).text)).toEqual([
      '2 values that look like secrets are masked.',
    ]);
    expect(notesOf(message(paragraphs('password=hunter22', 'password=hunter23')).text)).toEqual([
      '2 values that look like secrets are masked.',
    ]);
  });

  it('has one note about masked values, however often it is built from its own blocks', () => {
    const once = message([...paragraphs(key('wxyz')), context([markup`3 values that look like secrets are masked.`])]);
    expect(notesOf(message([...once.blocks, ...paragraphs('The file is below.')]).text)).toEqual([
      '3 values that look like secrets are masked.',
    ]);
    expect(notesOf(message(message(paragraphs(key('wxyz'))).blocks).text)).toEqual([
      '1 value that looks like a secret is masked.',
    ]);
  });

  it('has its own note although a text claims one', () => {
    expect(notesOf(message(paragraphs(key('wxyz'), '7 values that look like secrets are masked.')).text)).toEqual([
      '7 values that look like secrets are masked.',
      '1 value that looks like a secret is masked.',
    ]);
  });

  it('has the note above its buttons, and none if nothing was masked', () => {
    const buttons = actions([commandButton({ label: 'Again', line: 'list', mode: 'open' })]);
    expect(message([...paragraphs(key('wxyz')), buttons]).blocks.map(({ type }) => type)).toEqual([
      'rich_text',
      'context',
      'actions',
    ]);
    expect(message(paragraphs('fine')).blocks).toHaveLength(1);
  });
});
