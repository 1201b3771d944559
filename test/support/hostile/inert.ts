/** Rules for everything that the bot sends while each text of the service is one hostile string. */
import { expect } from 'vitest';
import { type EveryAnswer, stringsIn } from '../bot/every-answer.ts';
import { expectGoodMessage } from '../insight/message-rules.ts';
import { artifactUrls } from '../service/world.ts';

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

/** @param name of the case, without its section */
export function expectInert(name: string, answers: EveryAnswer): void {
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
