/** The hostile cases of the section `text`: each string in every text of the service, in every answer of every command. */
import { describe, expect, it } from 'vitest';
import * as registry from '../../src/bot/commands/registry.ts';
import { type EveryAnswer, everyAnswer, stringsIn } from '../support/bot/every-answer.ts';
import { type CaseRun, walk } from '../support/bot/walk.ts';
import { hostileStrings } from '../support/hostile/hostile.ts';
import { expectGoodMessage } from '../support/insight/message-rules.ts';
import { artifactUrls, plainTexts, sameText, startWorld, type WorldTexts } from '../support/service/world.ts';
import { fiveHundredFailures } from './limits.ts';

async function answersOver(texts: WorldTexts): Promise<EveryAnswer> {
  await using world = await startWorld(() => texts);
  return await everyAnswer(world);
}

/** Markup that must not pass unchanged, in addition to the checks of every case. */
const active: Readonly<Record<string, RegExp>> = {
  'at-name': /<@/,
  bold: /\*bold\*|_it_|~st~/,
  code1: /`/,
  fence: /```/,
  quote: /^\s*(?:&gt;|>)/m,
  emoji: /:rotating_light:/,
  'emoji-fake-ok': /:large_green_circle: All/,
  'split-newline': /<!chan/,
  list: /^1\. b/m,
};

/** Terminal sequences; no part of the command may stay, even without its first character. */
const terminal: Readonly<Record<string, RegExp>> = {
  c1: /31m/,
  'ansi-osc8': /\]8;;|evil\.example/,
  'ansi-clear': /\[2J|\[H/,
  'ansi-title': /\]0;|pwn/,
};

/** Invisible characters that change the visible text. */
const invisible = /(?!\r\n|[\n\t\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/u;

/** Texts in which Slack parses markup: the top-level text and every mrkdwn object. */
function markupsOf({ messages }: EveryAnswer): readonly string[] {
  return messages.flatMap((message) => [message.text, ...mrkdwnIn(message.blocks)]);
}

function mrkdwnIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'type' in value && value.type === 'mrkdwn' && 'text' in value ? [String(value.text)] : [];
  return [...own, ...Object.values(value).flatMap(mrkdwnIn)];
}

/** Without `emoji: false`, `:names:` in buttons and menus would become emoji. */
function plainTextsIn(value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'type' in value && value.type === 'plain_text' && 'text' in value ? [value] : [];
  return [...own, ...Object.values(value).flatMap(plainTextsIn)];
}

function expectInert(name: string, answers: EveryAnswer): void {
  const { messages, files } = answers;
  for (const message of messages) {
    const isOfDeployment = stringsIn(message.blocks).includes(artifactUrls[0]);
    expectGoodMessage(message, isOfDeployment ? artifactUrls : []);
  }
  // One assertion per kind of fault: an answer has thousands of texts.
  const texts = stringsIn({ messages, files });
  // The line ending of comma-separated values: https://www.rfc-editor.org/rfc/rfc4180
  expect(texts.filter((text) => invisible.test(text.replaceAll('\r\n', '\n')))).toEqual([]);
  expect(texts.filter((text) => !text.isWellFormed())).toEqual([]);
  expect(texts.filter((text) => terminal[name]?.test(text))).toEqual([]);
  expect(markupsOf(answers).filter((markup) => active[name]?.test(markup))).toEqual([]);
  expect(plainTextsIn(messages).filter((plain) => !('emoji' in plain && plain.emoji === false))).toEqual([]);
  for (const { name: fileName, title, altText = '', text } of files) {
    if (fileName.endsWith('.csv')) expect(text).not.toMatch(/(?:^|,)"?[=+@\t-]/m);
    for (const label of [fileName, title]) expect(label).not.toMatch(/[\n<>]/);
    // Slack parses no markup in an alt text, and a screen reader would read escapes.
    expect(altText).not.toContain('\n');
    expect(altText.length).toBeLessThanOrEqual(1000);
  }
}

const runs = Object.fromEntries(
  hostileStrings('text').map(([id, string]): [string, CaseRun] => {
    const name = id.replace('text/', '');
    return [name, async () => expectInert(name, await answersOver(sameText(string)))];
  }),
);

walk({
  section: 'text',
  runs: { ...runs, 'sum-of-limits': fiveHundredFailures },
  elsewhere: { 'log-1M-lines': 'test/hostile/limits.long.test.ts' },
  open: { 'sum-of-limits': 'as the list of failures; digests are not built' },
});

describe('the tested answers', () => {
  /** The first command that shows a text, by its place. */
  const shownBy: Readonly<Record<keyof WorldTexts, string>> = {
    workflowName: 'list',
    executionError: 'status',
    logMessage: 'logs',
    nodeId: 'logs',
    capabilityId: 'timeline',
    deploymentError: 'status',
    organizationName: 'account',
    accountName: 'account',
  };

  it('show every text of the service that a command shows', async () => {
    const places = Object.keys(shownBy) as readonly (keyof WorldTexts)[];
    const marked = Object.fromEntries(places.map((place) => [place, `mark${place}`])) as WorldTexts;
    const { sent } = await answersOver({ ...plainTexts, ...marked });
    const expected = places.filter((place) => shownBy[place] in registry);
    expect(expected.filter((place) => !sent.includes(`mark${place}`))).toEqual([]);
  });
});
