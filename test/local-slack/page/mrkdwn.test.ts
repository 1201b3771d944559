/** The page's mrkdwn, compared with Slack's documentation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Viewer } from '../../../src/local-slack/page/model/viewer.ts';
import { drawMrkdwn, drawPlain } from '../../../src/local-slack/page/text/mrkdwn.ts';
import { superlinear } from '../../support/hostile/growth.ts';
import { pageMarkup } from '../../support/slack/page-reading.ts';

const viewer: Viewer = {
  ...{ userId: 'U1', users: new Map(), channels: new Map(), origin: 'http://127.0.0.1:3000' },
  ...{ openChannel: () => undefined, openMessage: () => undefined, timeZone: 'Europe/Berlin', now: 1392734382000 },
};
/** The paragraph's content. Links to other pages lose the attributes that all of them have. */
function read(source: string): string {
  const shown = pageMarkup(drawMrkdwn(source, viewer)).replaceAll(' target="_blank" rel="noopener noreferrer"', '');
  return shown.replace(/^<div>(.*)<\/div>$/s, '$1');
}

describe('formatting', () => {
  it.each([
    ['*bold* _italic_ ~strike~ `code`', '<b>bold</b> <i>italic</i> <s>strike</s> <code>code</code>'],
    ['*bold _and italic_*', '<b>bold <i>and italic</i></b>'],
    ['(*bold*), *bold*: "*bold*"', '(<b>bold</b>), <b>bold</b>: "<b>bold</b>"'],
    ['`*not bold* :fire: &lt;`', '<code>*not bold* :fire: <</code>'],
    ['*bold with `a*b` code*', '<b>bold with <code>a*b</code> code</b>'],
    ['*a <https://a.example/|link*> b*', '<b>a <a href="https://a.example/">link*</a> b</b>'],
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

  it('reads fences, without the line breaks around them', () => {
    expect(read('before\n```\n*raw* &lt;\n```\nafter')).toBe('before<pre>*raw* <</pre>after');
  });
});

describe('tokens', () => {
  it.each([
    ['<https://a.example/x?a=1&amp;b=2>', '<a href="https://a.example/x?a=1&b=2">https://a.example/x?a=1&b=2</a>'],
    ['<https://a.example|the *label* &lt;>', '<a href="https://a.example/">the *label* <</a>'],
    ['<mailto:a@b.example|mail>', '<a href="mailto:a@b.example">mail</a>'],
    ['<@U123|ana> <#C123>', '<span>@ana</span> <span>#private channel</span>'],
    ['<!here> <!channel|channel> <!everyone>', '<span>@here</span> <span>@channel</span> <span>@everyone</span>'],
    ['<!unknown^x|label>', 'label'],
  ])('reads %j', (source, expected) => {
    expect(read(source)).toBe(expected);
  });

  it('reads a date with its fallback', () => {
    expect(read('<!date^1392734382^{date} at {time}|Feb &amp; 18>')).toBe('<time>{date} at 3:39 PM</time>');
    expect(read('<!date^1392734382^{date}|Feb &amp; 18>')).toBe('Feb & 18');
  });

  it.each([
    '<javascript:alert(1)|click>',
    '<data:text/html,x>',
    '<vbscript:x>',
    '<file:///etc/passwd>',
    '<JaVaScRiPt:alert(1)>',
    '<//a.example>',
  ])('shows %j as plain text', (source) => {
    expect(read(source)).toBe(source);
  });
});

it('addresses and mentions outside of tokens are text', () => {
  expect(read('@here #ops https://a.example')).toBe('@here #ops https://a.example');
});

it('plain text is read as text, with emoji if the flag allows', () => {
  const source = '*a* <@U123> &amp; :fire:';
  const plain = (emoji: boolean) => pageMarkup([...drawPlain({ type: 'plain_text', text: source, emoji }, viewer)]);
  expect(plain(true)).toBe('*a* <@U123> & <span>🔥</span>');
  expect(plain(false)).toBe('*a* <@U123> & :fire:');
});

it('any text is read, and no character is lost that is not markup', () => {
  const piece = fc.constantFrom('*', '_', '~', '`', '```', '<', '>', '|', '&gt;', ':', '\n', ' ', 'ab', 'é', '😀', '@');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const words = (text: string) => text.match(/ab|é|😀/gu)?.length ?? 0;
      expect(words(read(pieces.join('')))).toBeGreaterThanOrEqual(words(pieces.join('')));
    }),
    { numRuns: 2000, seed: 1 },
  );
});

it('a text of markup that never ends is read in time proportional to its length', () => {
  const pieces = ['*a ', '_a `', '<a *', '```', ':a', '~', '&gt;\n', 'https://'];
  expect(superlinear((text) => drawMrkdwn(text, viewer), pieces)).toEqual([]);
});
