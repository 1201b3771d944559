/** Rules that every message of a view keeps. */
import { expect } from 'vitest';
import { contentsOf } from '../../../src/bot/slack/outbound/delivery/payload.ts';
import { fitMessage } from '../../../src/bot/views/blocks/fit.ts';
import type { Message } from '../../../src/bot/views/blocks/message.ts';
import { count } from '../../../src/bot/views/format/number.ts';
import { limits } from '../../../src/shared/block-kit/limits.ts';
import { postedUnits } from '../../../src/shared/block-kit/posted-units.ts';
import { validateBlocks } from '../../../src/shared/block-kit/validate.ts';

/**
 * Slack accepts it, also where it is posted, in each form; screen readers get text, and it has only the bot's own markup.
 * @param links the only addresses it may link to, and `user` for each person whom it names itself,
 *   `channel` for each channel
 */
export function expectGoodMessage({ text, blocks }: Message, links: readonly string[] = []): void {
  expect(validateBlocks(blocks, 'message')).toEqual([]);
  expectPostable({ text, blocks });
  expect(text.trim()).not.toBe('');
  expect(text.length).toBeLessThanOrEqual(limits.message.advisedTextUnitsMax);
  const people = links.filter((link) => link === 'user').length;
  expect((text.match(person) ?? []).length).toBe(people);
  expect((text.match(channel) ?? []).length).toBe(links.filter((link) => link === 'channel').length);
  expectInert(text.replace(person, '').replace(channel, ''));
  for (const markup of mrkdwnOf(blocks)) expectInert(markup);
  expect(linksOf(blocks)).toEqual(links);
  expectNumbersAsText({ text, blocks });
}

/** Each value of a chart is in the text, too, as a number of its own. */
export function expectNumbersAsText({ text, blocks }: Message): void {
  const numbers = new Set(text.match(/\d[\d,]*(?<!,)/g));
  for (const block of blocks) {
    if (block.type !== 'data_visualization') continue;
    const { chart } = block;
    const points = chart.series.flatMap(({ data }) => data);
    const missing = points.filter(({ value }) => value !== 0 && !numbers.has(count(value)));
    expect(missing).toEqual([]);
  }
}

/** A refused form is followed by a simpler one, which has to fit too. */
export function expectPostable(message: Message): void {
  const fit = (one: Message) => fitMessage(one, '/workflow');
  for (const { text, blocks = [] } of contentsOf(message, fit)) {
    expect(postedUnits(blocks)).toBeLessThanOrEqual(limits.message.safePostedUnitsMax);
    expect(validateBlocks(blocks, 'message')).toEqual([]);
    expect(text.length).toBeLessThanOrEqual(limits.message.advisedTextUnitsMax);
  }
  const isShortened = postedUnits(message.blocks) > limits.message.safePostedUnitsMax;
  const { blocks } = fit(message);
  // Words alone, which count their missing lines, follow if no block fits.
  const isToldSo = blocks.length === 0 || /(?:is|are) left out, because Slack limits/.test(JSON.stringify(blocks));
  expect(isToldSo).toBe(isShortened);
}

const person = /<@[UW][A-Z0-9]{1,30}>/g;
const channel = /<#[CG][A-Z0-9]{1,30}>/g;

/** The bot's own angle brackets are only dates. */
function expectInert(mrkdwn: string): void {
  expect(mrkdwn.replace(/<!date\^\d+\^[^<>|^]+\|[^<>|]*>/g, '')).not.toMatch(/[<>]/);
}

/** Every mrkdwn text object, and whether it is verbatim. */
function mrkdwnOf(value: unknown): readonly string[] {
  return collect(value, (record) => {
    if (record['type'] !== 'mrkdwn') return undefined;
    expect(record['verbatim']).toBe(true);
    return String(record['text']);
  });
}

/** The links and mentions of its elements. */
export function linksOf(value: unknown): readonly string[] {
  const kinds = ['link', 'user', 'usergroup', 'channel', 'broadcast', 'team'];
  return collect(value, ({ type, url }) => (kinds.includes(String(type)) ? String(url ?? type) : undefined));
}

function collect(value: unknown, pick: (record: Readonly<Record<string, unknown>>) => string | undefined): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const picked = Array.isArray(value) ? undefined : pick(value as Readonly<Record<string, unknown>>);
  return [
    ...(picked === undefined ? [] : [picked]),
    ...Object.values(value).flatMap((member) => collect(member, pick)),
  ];
}
