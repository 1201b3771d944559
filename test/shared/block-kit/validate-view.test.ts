/** Slack's limits for modals and Homes: a view at the limit passes, one above it is refused with its place. */
import { describe, expect, test } from 'vitest';
import { validateView } from '../../../src/shared/block-kit/validate.ts';

type Fields = Readonly<Record<string, unknown>>;
const x = (n: number) => 'x'.repeat(n);
const plain = (text: string) => ({ type: 'plain_text', text });
const modal = (more: Fields = {}) => ({ type: 'modal', title: plain('Connect'), blocks: [], ...more });
const input = (more: Fields = {}) => ({
  type: 'input',
  label: plain('Endpoint'),
  element: { type: 'plain_text_input', ...more },
});

describe('a modal', () => {
  test.each([
    ['title', 24, (n: number) => ({ title: plain(x(n)) }), '/view/title/text'],
    ['submit', 24, (n: number) => ({ submit: plain(x(n)) }), '/view/submit/text'],
    ['close', 24, (n: number) => ({ close: plain(x(n)) }), '/view/close/text'],
    ['private_metadata', 3000, (n: number) => ({ private_metadata: x(n) }), '/view/private_metadata'],
    ['callback_id', 255, (n: number) => ({ callback_id: x(n) }), '/view/callback_id'],
    ['blocks', 100, (n: number) => ({ blocks: Array(n).fill({ type: 'divider' }) }), '/view/blocks'],
  ])('has a limit: %s, %i', (_what, max, build, pointer) => {
    expect(validateView(modal(build(max)), 'modal')).toEqual([]);
    expect(validateView(modal(build(max + 1)), 'modal')).toMatchObject([{ pointer }]);
  });

  test.each([
    ['without a title', { type: 'modal', blocks: [] }, 'missing required field: title'],
    ['without blocks', { type: 'modal', title: plain('T') }, 'must provide an array'],
    ['of another type', modal({ type: 'home' }), 'must be one of: modal'],
    ['with a field that views have not', modal({ footer: 'x' }), 'invalid additional property: footer'],
    ['with a block for messages', modal({ blocks: [{ type: 'plan', title: 'x' }] }), expect.stringMatching(/modal/)],
    ['with inputs and nothing to submit them', modal({ blocks: [input()] }), expect.stringMatching(/submit/)],
    [
      'with two focused elements',
      modal({ submit: plain('Go'), blocks: [input({ focus_on_load: true }), input({ focus_on_load: true })] }),
      'only one element may focus_on_load',
    ],
    ['that is no object', null, 'must provide an object'],
  ])('%s is refused', (_what, view, reason) => {
    expect(validateView(view, 'modal')).toMatchObject([{ reason }]);
  });
});

describe('a Home', () => {
  test('contains blocks, and inputs without a submit button', () => {
    expect(validateView({ type: 'home', blocks: [input()], private_metadata: '' }, 'home')).toEqual([]);
  });

  test.each(['title', 'submit', 'close'])('has no %s', (name) => {
    const reason = `invalid additional property: ${name}`;
    expect(validateView({ type: 'home', blocks: [], [name]: plain('x') }, 'home')).toMatchObject([{ reason }]);
  });
});
