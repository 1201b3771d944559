/** Validation of the digest form: accepted values, and errors beside their inputs. */
import { describe, expect, test } from 'vitest';
import { modalView } from '../../../../../src/bot/views/blocks/modal.ts';
import { validateView } from '../../../../../src/shared/block-kit/validate.ts';
import { useTestCommands } from '../../../../support/bot/commands.ts';

const commands = useTestCommands();
const filled = {
  step: 'fill',
  channel: 'C1',
  time: '09:00',
  weekdays: ['1', '2', '3', '4', '5'],
  zone: 'Europe/Berlin',
  which: 'all',
  allClear: 'on',
  uncertain: 'hold',
} as const;
let people = 0;
const submit = (values: Readonly<Record<string, string | readonly string[]>>) =>
  commands().submit({ command: 'digest', actor: { teamId: 'T1', userId: `U${++people}` }, values });
const uuids = (count: number) =>
  Array.from({ length: count }, (_, at) => `00000000-0000-4000-8000-0000000000${at + 10}`);

describe('the form refuses beside the input', () => {
  test.each([
    ['no channel', { channel: '' }, 'channel', /Choose/],
    ['a channel that does not exist', { channel: '__proto__' }, 'channel', /Choose a channel/],
    ['an hour that does not exist', { time: '24:00' }, 'time', /from 00:00 to 23:59/],
    ['half a time', { time: '9:00' }, 'time', /from 00:00 to 23:59/],
    ['no weekday', { weekdays: [] }, 'weekdays', /at least one day/],
    ['an eighth weekday', { weekdays: ['8'] }, 'weekdays', /days from the list/],
    ['a zone on Mars (process/tz-unknown)', { zone: 'Mars/Phobos' }, 'zone', /time zone is not known/],
    ['an offset for a zone', { zone: '+02:00' }, 'zone', /time zone is not known/],
    ['a text of spaces', { which: 'text', text: '   ' }, 'text', /Type a part/],
    ['a text without end', { which: 'text', text: 'x'.repeat(101) }, 'text', /at most 100/],
    ['none chosen', { which: 'chosen', workflows: [] }, 'workflows', /at least one/],
    ['no known one', { which: 'chosen', workflows: ['w-1', 'no names'] }, 'workflows', /No names.*yet.*search again/],
    ['too many chosen', { which: 'chosen', workflows: uuids(16) }, 'workflows', /at most 15/],
  ])('%s', async (_what, wrong, id, words) => {
    const answer = await submit({ ...filled, ...wrong });
    expect(answer).toMatchObject({ kind: 'errors', errors: { [id]: expect.stringMatching(words) } });
    expect(Object.keys('errors' in answer ? answer.errors : {})).toEqual([id]);
  });
});

describe('a valid form', () => {
  test.each([
    ['of all workflows', {}],
    ['of a text', { which: 'text', text: 'x'.repeat(100) }],
    ['of as many as can be chosen', { which: 'chosen', workflows: uuids(15) }],
    ['at midnight in a zone of odd hours', { time: '00:00', zone: 'Asia/Kathmandu', weekdays: ['7'] }],
  ])('%s shows a preview that fits Slack, and saves nothing', async (_what, more) => {
    const answer = await submit({ ...filled, ...more });
    if (answer.kind !== 'next') throw new Error(JSON.stringify(answer));
    expect(validateView(modalView(answer.view, 'C1'), 'modal')).toEqual([]);
    expect(await commands().store.subscriptions.list('T1')).toEqual([]);
  });

  test('is saved with the values of its preview', async () => {
    const answer = await submit({
      ...filled,
      which: 'chosen',
      workflows: uuids(15),
      uncertain: 'repeat',
      allClear: 'off',
    });
    const { carries = {} } = answer.kind === 'next' ? answer.view : {};
    expect(await submit(carries)).toMatchObject({
      kind: 'close',
      message: { text: expect.stringContaining('Digest set up') },
    });
    const [saved] = await commands().store.subscriptions.list('T1');
    expect(saved).toMatchObject({
      channelId: 'C1',
      schedule: { time: '09:00', weekdays: [1, 2, 3, 4, 5], zone: 'Europe/Berlin' },
      workflows: { kind: 'chosen', uuids: uuids(15) },
      ...{ onUncertain: 'repeat', hasAllClear: false },
    });
  });
});

describe('a preview that was tampered with', () => {
  const filled = {
    ...{ step: 'fill', channel: 'C1', time: '09:00', weekdays: ['1'], zone: 'Etc/UTC' },
    ...{ which: 'all', allClear: 'off', uncertain: 'hold' },
  };
  test.each([
    ['without a plan', 'plan'],
    ['for no channel', JSON.stringify({ ...filled, channel: '<!channel>' })],
    ['in no zone', JSON.stringify({ ...filled, zone: 'Mars/Phobos' })],
    ['of sixteen workflows', JSON.stringify({ ...filled, which: 'chosen', workflows: uuids(16) })],
    ['that is null', 'null'],
    ['with a wish of another version', JSON.stringify({ ...filled, uncertain: 'twice' })],
    ['with no yes and no', JSON.stringify({ ...filled, allClear: true })],
  ])('%s is refused', async (_what, text) => {
    const before = await commands().store.subscriptions.list('T1');
    expect(await submit({ step: 'save', filled: text })).toMatchObject({ kind: 'problem' });
    expect(await commands().store.subscriptions.list('T1')).toEqual(before);
  });

  test('for a digest that is gone saves nothing, and says so', async () => {
    const answer = await submit({ step: 'save', filled: JSON.stringify({ ...filled, id: 'gone' }) });
    expect(answer).toMatchObject({ kind: 'close', message: { text: expect.stringContaining('not there any more') } });
  });
});
