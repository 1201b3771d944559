/** A posted message is as long as Slack takes, and says what it leaves out. */
import type { KnownBlock } from '@slack/types';
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actions, cell, context, section, table } from '../../../../src/bot/views/blocks/blocks.ts';
import { answerActions, commandSelect } from '../../../../src/bot/views/blocks/command-button.ts';
import { fitMessage } from '../../../../src/bot/views/blocks/fit.ts';
import { message } from '../../../../src/bot/views/blocks/message.ts';
import { plan } from '../../../../src/bot/views/blocks/plan.ts';
import { bulleted, paragraph, plain, preformatted, rich } from '../../../../src/bot/views/blocks/rich-text.ts';
import { markup } from '../../../../src/bot/views/format/mrkdwn.ts';
import { anyCharacter } from '../../../support/hostile/any-character.ts';
import { expectPostable } from '../../../support/insight/message-rules.ts';

const sized = (max: number) => fc.integer({ min: 1, max });
const texts = (max: number) =>
  fc.array(
    fc.oneof(
      fc.string({ minLength: 1, maxLength: 80 }),
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 300 }),
    ),
    {
      minLength: 1,
      maxLength: max,
    },
  );

/** Blocks as the views make them, with any text and as many items as Slack takes. */
const blocks: Arbitrary<KnownBlock> = fc.oneof(
  texts(120).map((rows) =>
    table(
      [{ title: 'Started' }, { title: 'Result' }],
      rows.map((text) => [cell('now'), paragraph([plain(text)])]),
    ),
  ),
  texts(120).map((items) =>
    bulleted(
      rich`Items`,
      items.map((text) => [plain(text)]),
    ),
  ),
  texts(200).map((lines) => preformatted(rich`Log`, lines)),
  texts(60).map((tasks) =>
    plan(
      'Steps',
      tasks.map((title, at) => ({ number: at + 1, title: [title], status: 'complete', details: [plain(title)] })),
    ),
  ),
  texts(9).map((values) => context(values.map((value) => markup`${value}`))),
  fc.string({ minLength: 1, maxLength: 3000 }).map((text) => section(markup`${text}`)),
);

const menu = (count: number) =>
  commandSelect({
    placeholder: 'Investigate…',
    mode: 'open',
    options: Array.from({ length: count }, (_, at) => ({ label: `run ${at}`, line: `execution ${at}` })),
  });

/** As `executions` shows them. */
function executions(count: number) {
  const rows = Array.from({ length: count }, (_, at) => [
    cell(`2026-11-21 10:${at}`),
    paragraph([plain(`failed after ${at} s ${'x'.repeat(400)}`)]),
  ]);
  return message([
    paragraph(rich`Runs of all workflows`),
    table([{ title: 'Started' }, { title: 'Result' }], rows),
    actions([menu(count)]),
    context([markup`Window 24h`]),
    answerActions('executions 7d --status failed'),
  ]);
}

describe('a message that is posted', () => {
  it('fits, whatever blocks it has, and only a shortened one says so', () => {
    const isTable = ({ type }: KnownBlock) => type === 'table';
    const messages = fc
      .tuple(fc.array(blocks, { minLength: 1, maxLength: 50 }), fc.boolean(), sized(100))
      .map(([many, hasButtons, options]) => {
        const first = many.find(isTable);
        const kept = many.filter((block) => !isTable(block) || block === first).slice(0, 48);
        return message([...kept, ...(hasButtons ? [actions([menu(options)]), answerActions('executions')] : [])]);
      });
    fc.assert(fc.property(messages, expectPostable), { numRuns: 60 });
  });

  it('is the same message if it is short enough', () => {
    const short = executions(5);
    expect(fitMessage(short, '/workflow')).toBe(short);
  });

  it('has its first rows, its small print and its buttons, the number of rows left out and the command that shows them', () => {
    const { blocks: kept } = fitMessage(executions(40), '/workflow');
    const note = JSON.stringify(kept[2]);
    expect(kept.map(({ type }) => type)).toEqual(['rich_text', 'table', 'rich_text', 'actions', 'context', 'actions']);
    const shown = (JSON.stringify(kept[1]).match(/failed after/g) ?? []).length;
    expect(shown).toBeGreaterThan(5);
    expect(note).toContain(
      `${40 - shown} rows are left out, because Slack limits the length of a posted message like this one.`,
    );
    expect(note).toMatch(/To see the whole answer, type .*\/workflow executions 7d --status failed"/);
  });

  it('keeps every part below a long first sentence, and has fewer rows instead', () => {
    const sentence = paragraph(Array.from({ length: 12 }, () => plain('x'.repeat(300))));
    const long = message([sentence, ...executions(40).blocks]);
    const types = fitMessage(long, '/workflow').blocks.map(({ type }) => type);
    expect(types).toEqual(['rich_text', 'rich_text', 'table', 'rich_text', 'actions', 'context', 'actions']);
  });

  it('names the command that gave it, if it is known', () => {
    const note = fitMessage({ ...executions(40), line: 'executions payments' }, '/workflow').blocks[2];
    expect(JSON.stringify(note)).toContain('"/workflow executions payments"');
  });

  it('is words alone if not even its first block fits', () => {
    const long = message([paragraph(Array.from({ length: 60 }, () => plain('x'.repeat(300)))), answerActions('list')]);
    expect(fitMessage(long, '/workflow')).toEqual({ text: long.text, blocks: [] });
    expectPostable(long);
  });

  it('names no command that is too long to be shown whole', () => {
    const long = message([...executions(40).blocks.slice(0, -1), answerActions(`executions ${'x'.repeat(900)}`)]);
    expect(JSON.stringify(fitMessage(long, '/workflow').blocks[2])).toMatch(
      /a posted message like this one\."}\]}\]}$/,
    );
    expectPostable(long);
  });
});
