/** Progress of an export. */
import { describe, expect, it } from 'vitest';
import { exportCancelledMessage, exportProgressMessage } from '../../../../../src/bot/commands/words/export/view.ts';
import { hostileStrings } from '../../../../support/hostile/hostile.ts';
import { expectGoodMessage } from '../../../../support/insight/message-rules.ts';
import { lastDayWindow } from '../../../../support/service/service-data.ts';

const window = { ...lastDayWindow, isMoving: false };
const { from, to } = window;
const about = { workflow: { uuid: 'w-1', name: 'payments' }, format: 'json', window, rowCount: 4200 } as const;
const under = { ...about, oldest: (from + to) / 2, cancelLine: 'cancel r1' };

describe('a running export', () => {
  it.each([
    [{ rowCount: 4200 }, 'payments: 4,200 runs so far, 50 % of the window…'],
    [{ rowCount: 1, oldest: to }, 'payments: 1 run so far, 0 % of the window…'],
    [{ rowCount: 0, oldest: to }, 'payments: no runs so far, 0 % of the window…'],
    [{ rowCount: 1_000_000, oldest: from - 1 }, 'payments: 1,000,000 runs so far, 100 % of the window…'],
    [{ window: { ...window, from: to } }, 'payments: 4,200 runs so far…'],
  ])('with %o says “%s”', (overrides, words) => {
    const message = exportProgressMessage({ ...under, ...overrides });
    expect(message.text).toContain(words);
    expect(JSON.stringify(message.blocks)).toContain('"value":"cancel r1"');
    expectGoodMessage(message);
  });

  it.each([
    [0, 'Cancelled the export of payments: no runs had been read, and no file was made.'],
    [4200, 'Cancelled the export of payments: 4,200 runs had been read, and no file was made.'],
  ])('that was cancelled after %i runs says so, and offers a new start', (rowCount, words) => {
    const message = exportCancelledMessage({ ...about, rowCount });
    expect(message.text).toContain(words);
    expect(JSON.stringify(message.blocks)).toContain('"value":"export w-1 24h --format json"');
    expectGoodMessage(message);
  });

  it.each(hostileStrings('text'))('%s as a name is inert and fits', (_id, name) => {
    const workflow = { uuid: 'w-1', name };
    expectGoodMessage(exportProgressMessage({ ...under, workflow }));
    expectGoodMessage(exportCancelledMessage({ ...about, workflow }));
  });
});
