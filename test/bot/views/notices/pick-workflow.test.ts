/** Messages for choosing a workflow. */
import { describe, expect, it } from 'vitest';
import { noWorkflowMessage, pickWorkflowMessage } from '../../../../src/bot/views/notices/pick.ts';
import { hostileStrings } from '../../../support/hostile/hostile.ts';
import { expectGoodMessage } from '../../../support/insight/message-rules.ts';

const uuidOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const workflows = (length: number, name = 'payments', status = 'ACTIVE') =>
  Array.from({ length }, (_, index) => ({ uuid: uuidOf(index), name: `${name}-${index}`, status }));
const lineFor = (uuid: string) => `failures ${uuid} 7d`;
const longFor = (uuid: string) => `status ${uuid} 2026-11-20T10:00:00Z..2026-11-20T12:00:00Z`;
const blocksOf = (message: { readonly blocks: readonly unknown[] }) => JSON.stringify(message.blocks);

describe('several workflows', () => {
  it.each([2, 10, 100])('%i of them are in a menu that keeps the command', (length) => {
    const message = pickWorkflowMessage({ typed: 'pay', choices: workflows(length), lineFor });
    expect(blocksOf(message)).toContain(`"value":"failures ${uuidOf(length - 1)} 7d"`);
    expectGoodMessage(message);
  });

  it('more of them than fit a menu have a search menu', () => {
    const message = pickWorkflowMessage({ typed: 'pay', choices: workflows(101), lineFor });
    expect(message.text).toContain('may be one of 101 workflows');
    expect(message.text).toContain('and 91 more');
    expect(blocksOf(message)).toContain('external_select');
    expectGoodMessage(message);
  });

  it.each([2, 300])('%i of them with a line too long for a menu are buttons', (length) => {
    const message = pickWorkflowMessage({ typed: 'pay', choices: workflows(length), lineFor: longFor });
    expect(blocksOf(message)).toContain(`"value":"${longFor(uuidOf(0))}"`);
    expectGoodMessage(message);
  });

  it('are buttons if they are few', () => {
    const few = JSON.stringify(
      pickWorkflowMessage({ typed: 'n', choices: workflows(5, 'n', 'ACTIVE'), lineFor }).blocks,
    );
    expect(few).not.toContain('static_select');
    expect(few.match(/"type":"button"/g)).toHaveLength(5);
  });

  it('have their state in the menu if it is not active, however long the name', () => {
    const choices = workflows(6, 'n'.repeat(500), 'PAUSED');
    expect(blocksOf(pickWorkflowMessage({ typed: 'n', choices, lineFor }))).toMatch(/"text":"n+… \(paused\)"/);
  });
});

describe('no workflow', () => {
  it.each([0, 1, 3])('offers the %i nearest, a search menu, and the list', (length) => {
    const message = noWorkflowMessage({ typed: 'qqq', choices: workflows(length), lineFor });
    expect(blocksOf(message)).toContain('"action_id":"cmd:replace:search:failures ');
    expect(blocksOf(message)).toContain('"value":"list"');
    expectGoodMessage(message);
  });

  it.each([
    ['qqq', 1, 'No name is similar. A workflow of yours:'],
    ['qqq', 2, 'No name is similar. Some of your workflows:'],
    ['paymnts-0', 1, '“paymnts-0”. Closest name:'],
    ['paymnts-0', 2, '“paymnts-0”. Closest names:'],
  ])('called “%s” beside %i names counts them right', (typed, length, words) => {
    expect(noWorkflowMessage({ typed, choices: workflows(length), lineFor }).text).toContain(words);
  });

  it('with a line too long for a menu still offers the nearest and the list', () => {
    const message = noWorkflowMessage({ typed: 'qqq', choices: workflows(3), lineFor: longFor });
    expect(blocksOf(message)).not.toContain('external_select');
    expectGoodMessage(message);
  });
});

it.each(hostileStrings('text'))('%s as a name is inert and fits', (_id, text) => {
  const choices = ['ACTIVE', text].map((status, index) => ({ uuid: uuidOf(index), name: text, status }));
  expectGoodMessage(pickWorkflowMessage({ typed: text, choices, lineFor }));
  expectGoodMessage(noWorkflowMessage({ typed: text, choices, lineFor }));
});
