/** Slack's mrkdwn, read as Slack reads it: https://docs.slack.dev/messaging/formatting-message-text */
import type { Inline, TextBlock } from './inline.ts';
import { type InlineRules, parseInline } from './mrkdwn-inline.ts';
import { parseTokens } from './mrkdwn-token.ts';

const fence = /```([\s\S]+?)```/g;
const quoted = /^(?:&gt;|>) ?/;
const quotedRest = /^(?:&gt;|>){3} ?/;

/** What a mrkdwn text object or a message's text says. Total: whatever is no markup is text. */
export function parseMrkdwn(source: string, rules: InlineRules): readonly TextBlock[] {
  const blocks: TextBlock[] = [];
  let end = 0;
  for (const match of source.matchAll(fence)) {
    blocks.push(...parseLines(source.slice(end, match.index), rules));
    blocks.push({ kind: 'pre', children: parseTokens((match[1] ?? '').replace(/^\n|\n$/g, '')) });
    end = match.index + match[0].length;
  }
  blocks.push(...parseLines(source.slice(end), rules));
  return blocks;
}

/** A plain_text object: emoji codes where its flag allows them, and nothing else. */
export function parsePlainText(source: string, hasEmoji: boolean): readonly Inline[] {
  const rules = { hasFormatting: false, hasEmoji, linksUrls: false, linksNames: false };
  return parseInline(source, rules);
}

/** Runs of quoted lines become quotes, what is between them paragraphs. */
function parseLines(source: string, rules: InlineRules): readonly TextBlock[] {
  const blocks: TextBlock[] = [];
  const lines = source.split('\n');
  let start = 0;
  while (start < lines.length) {
    const isQuote = quoted.test(lines[start] ?? '');
    const takesRest = quotedRest.test(lines[start] ?? '');
    const next = lines.findIndex((line, index) => index > start && quoted.test(line) !== isQuote);
    const stop = takesRest || next === -1 ? lines.length : next;
    const run = lines.slice(start, stop);
    blocks.push(...(isQuote ? quote(run, takesRest, rules) : paragraph(run.join('\n'), rules)));
    start = stop;
  }
  return blocks;
}

function quote(lines: readonly string[], takesRest: boolean, rules: InlineRules): readonly TextBlock[] {
  const [first = '', ...others] = lines;
  const inner = takesRest ? [first.replace(quotedRest, ''), ...others] : lines.map((line) => line.replace(quoted, ''));
  return [{ kind: 'quote', children: [{ kind: 'paragraph', children: parseInline(inner.join('\n'), rules) }] }];
}

/** The line break that sets a paragraph off from a quote or a fence is not part of it. */
function paragraph(text: string, rules: InlineRules): readonly TextBlock[] {
  const inner = text.replace(/^\n|\n$/g, '');
  return inner === '' ? [] : [{ kind: 'paragraph', children: parseInline(inner, rules) }];
}
