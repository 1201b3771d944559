/** View of `export`. */
import { describe, expect, it } from 'vitest';
import {
  type ExportView,
  exportFileName,
  exportMessage,
  exportTitle,
} from '../../../../../src/bot/commands/words/export/view.ts';
import { hostileStrings } from '../../../../support/hostile/hostile.ts';
import { expectGoodMessage } from '../../../../support/insight/message-rules.ts';
import { lastDayWindow, minuteMs, now } from '../../../../support/service/service-data.ts';

function view(overrides: Partial<ExportView> = {}): ExportView {
  return {
    workflow: { uuid: 'w-1', name: 'payments' },
    format: 'csv',
    window: { ...lastDayWindow, isMoving: false },
    rowCount: 2880,
    byteCount: 541_234,
    unreadable: 0,
    maskedCount: 0,
    end: null,
    now,
    ...overrides,
  };
}

const textOf = (overrides: Partial<ExportView>) => exportMessage(view(overrides)).text;

describe('an export', () => {
  it('shows its number of runs, its exact window and its size', () => {
    expect(textOf({})).toMatch(
      /payments: 2,880 runs that started between <!date[^>]*\|2026-11-20 10:00:00 UTC> and <!date[^>]*\|2026-11-21 10:00:00 UTC> \(CSV, 541 KB/,
    );
    expect(exportTitle(view())).toBe('2,880 runs, 2026-11-20 10:00:00 UTC to 2026-11-21 10:00:00 UTC');
  });

  it('without runs has no file, and says so', () => {
    expect(textOf({ rowCount: 0 })).toMatch(
      /payments: no run started between .*, or none that the query service still keeps, so there is no file\./,
    );
    expect(textOf({ rowCount: 0, unreadable: 3 })).toMatch(
      /payments: no run that started .* could be read, so there is/,
    );
  });

  it('that is incomplete names the missing part and offers its export', () => {
    const end = { reason: 'size', oldest: now - 60 * minuteMs } as const;
    const message = exportMessage(view({ end, unreadable: 1 }));
    expect(message.text).toContain('2,880 of the runs that started');
    expect(message.text).toContain('1 run of the window could not be read and is not in the file.');
    expect(message.text).toMatch(/size limit: runs before <!date[^>]*09:00:00 UTC> are missing/);
    expect(JSON.stringify(message.blocks)).toContain(
      '"export w-1 2026-11-20T10:00:00.000Z..2026-11-21T09:00:00.001Z --format csv"',
    );
    expectGoodMessage(message);
  });

  it('says how many values were masked', () => {
    expect(textOf({ maskedCount: 3 })).toContain('3 values that look like secrets are masked.');
  });

  it('offers the other format', () => {
    expect(JSON.stringify(exportMessage(view()).blocks)).toContain('"export w-1 24h --format json"');
  });

  it.each([0, 1, 20_000_000])('of %i runs fits Slack', (rowCount) => {
    expectGoodMessage(exportMessage(view({ rowCount, byteCount: rowCount * 188, unreadable: rowCount })));
  });

  it.each([
    ['payments', 'payments-2026-11-20T1000Z-2026-11-21T1000Z.csv'],
    ['../../etc/passwd', 'etc-passwd-2026-11-20T1000Z-2026-11-21T1000Z.csv'],
    ['Курсы', 'workflow-2026-11-20T1000Z-2026-11-21T1000Z.csv'],
  ])('of %j has a file name that every system accepts', (name, fileName) => {
    expect(exportFileName(view({ workflow: { uuid: 'w-1', name } }))).toBe(fileName);
  });

  it.each(hostileStrings('text'))('%s as a name is inert and fits', (_id, text) => {
    const workflow = { uuid: 'w-1', name: text } as const;
    expectGoodMessage(exportMessage(view({ workflow })));
    expect(exportFileName(view({ workflow }))).toMatch(/^[A-Za-z0-9-]{1,100}\.csv$/);
  });
});
