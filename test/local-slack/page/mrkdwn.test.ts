/** The page's mrkdwn parser, compared with Slack's documentation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Inline, TextBlock } from '../../../src/local-slack/page/text/inline.ts';
import { parseMrkdwn, parsePlainText } from '../../../src/local-slack/page/text/mrkdwn.ts';
import { superlinear } from '../../support/hostile/growth.ts';

const verbatim = { linksUrls: false };
const loose = { linksUrls: true };
const letters = { bold: 'b', italic: 'i', strike: 's', underline: 'u', code: 'code' } as const;

/** A compact spelling of the tree, so that an expectation fits on a line. */
function spell(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (node.kind === 'text') return node.text;
      if (node.kind === 'styled') return `[${letters[node.style]} ${spell(node.children)}]`;
      if (node.kind === 'link') return `[link ${node.url} ${spell(node.children)}]`;
      if (node.kind === 'date') return `[date ${JSON.stringify(node.date)}]`;
      return `[${Object.values(node).filter(Boolean).join(' ')}]`;
    })
    .join('');
}

function spellBlocks(blocks: readonly TextBlock[]): string {
  return blocks
    .map((block) => {
      if (block.kind === 'quote') return `{quote ${spellBlocks(block.children)}}`;
      return block.kind === 'list' ? '{list}' : `{${block.kind} ${spell(block.children)}}`;
    })
    .join('');
}

/** A single paragraph's content, or all blocks. */
function read(source: string, rules = verbatim): string {
  const blocks = parseMrkdwn(source, rules);
  const [first] = blocks;
  return blocks.length === 1 && first?.kind === 'paragraph' ? spell(first.children) : spellBlocks(blocks);
}

describe('formatting', () => {
  it.each([
    ['*bold* _italic_ ~strike~ `code`', '[b bold] [i italic] [s strike] [code code]'],
    ['*bold _and italic_*', '[b bold [i and italic]]'],
    ['(*bold*), *bold*: "*bold*"', '([b bold]), [b bold]: "[b bold]"'],
    ['`*not bold* :fire: &lt;`', '[code *not bold* :fire: <]'],
    ['*bold with `a*b` code*', '[b bold with [code a*b] code]'],
    ['*a <https://a.example/|link*> b*', '[b a [link https://a.example/ link*] b]'],
  ])('reads %j', (source, expected) => {
    expect(read(source)).toBe(expected);
  });

  it.each([
    'snake_case_name and 2*3*4',
    '* not a list*',
    '*open\nclosed*',
    '** ~~ __',
    '*word*s are not bold',
    'nor é*a*',
    'lists:\n- one\n• two',
    '10:30:45 and :no_such_emoji:',
    'a < b > c',
  ])('does not change %j', (source) => {
    expect(read(source)).toBe(source);
  });

  it('decodes entities once, and only Slack’s three', () => {
    expect(read('&lt;b&gt; &amp;lt; &amp;amp; &quot; &#60;')).toBe('<b> &lt; &amp; &quot; &#60;');
  });

  it('reads fences and quoted lines, escaped or not, as blocks', () => {
    const source = 'before\n```\n*raw* &lt;\n```\n&gt; one\n> two\nafter';
    expect(read(source)).toBe('{paragraph before}{pre *raw* <}{quote {paragraph one\ntwo}}{paragraph after}');
  });

  it('quotes everything after three signs', () => {
    expect(read('&gt;&gt;&gt; one\ntwo')).toBe('{quote {paragraph one\ntwo}}');
  });
});

describe('tokens', () => {
  it.each([
    ['<https://a.example/x?a=1&amp;b=2>', '[link https://a.example/x?a=1&b=2 https://a.example/x?a=1&b=2]'],
    ['<https://a.example|the *label* &lt;>', '[link https://a.example/ the *label* <]'],
    ['<mailto:a@b.example|mail>', '[link mailto:a@b.example mail]'],
    ['<@U123|ana> <#C123>', '[user U123 ana] [channel C123]'],
    ['<!here> <!channel|channel> <!everyone>', '[broadcast here] [broadcast channel] [broadcast everyone]'],
    ['<!unknown^x|label>', 'label'],
  ])('reads %j', (source, expected) => {
    expect(read(source)).toBe(expected);
  });

  it('reads a date with its link and its fallback', () => {
    const date = { timestamp: 1392734382, format: '{date} at {time}', url: 'https://a.example/', fallback: 'Feb & 18' };
    expect(read('<!date^1392734382^{date} at {time}^https://a.example/|Feb &amp; 18>')).toBe(
      `[date ${JSON.stringify(date)}]`,
    );
  });

  it.each([
    '<javascript:alert(1)|click>',
    '<data:text/html,x>',
    '<vbscript:x>',
    '<file:///etc/passwd>',
    '<JaVaScRiPt:alert(1)>',
    '<//a.example>',
  ])('shows %j as plain text', (source) => {
    expect(read(source, loose)).toBe(source);
  });
});

describe('text that is not verbatim', () => {
  it('links addresses without the punctuation behind them', () => {
    expect(read('see https://a.example/x, (http://b.example).', loose)).toBe(
      'see [link https://a.example/x https://a.example/x], ([link http://b.example/ http://b.example]).',
    );
  });

  it('has links, and verbatim text keeps them as text', () => {
    expect(read('@here #ops https://a.example')).toBe('@here #ops https://a.example');
  });
});

it('plain text is read as text, with emoji if the flag allows', () => {
  const source = '*a* <@U123> &amp; :fire:';
  expect(spell(parsePlainText(source, true))).toBe('*a* <@U123> & [emoji fire]');
  expect(spell(parsePlainText(source, false))).toBe('*a* <@U123> & :fire:');
});

it('any text is read, and no character is lost that is not markup', () => {
  const piece = fc.constantFrom('*', '_', '~', '`', '```', '<', '>', '|', '&gt;', ':', '\n', ' ', 'ab', 'é', '😀', '@');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const words = (text: string) => text.match(/ab|é|😀/gu)?.length ?? 0;
      expect(words(spellBlocks(parseMrkdwn(pieces.join(''), loose)))).toBeGreaterThanOrEqual(words(pieces.join('')));
    }),
    { numRuns: 2000, seed: 1 },
  );
});

it('a text of markup that never ends is read in time proportional to its length', () => {
  const pieces = ['*a ', '_a `', '<a *', '```', ':a', '~', '&gt;\n', 'https://'];
  expect(superlinear((text) => parseMrkdwn(text, loose), pieces)).toEqual([]);
});
