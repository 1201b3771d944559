/** Rows of an export, as CSV and as JSON. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvRow, exportRow } from '../../../../../src/bot/commands/words/export/collect.ts';
import { anyCharacter } from '../../../../support/hostile/any-character.ts';
import { hostileStrings } from '../../../../support/hostile/hostile.ts';
import { anExecution } from '../../../../support/service/service-data.ts';

const token = 'sk_live_0123456789abcdefghij';

/** @returns the fields of one line as RFC 4180 reads them */
function parseLine(line: string): readonly string[] {
  expect(line.endsWith('\r\n')).toBe(true);
  const fields = line.slice(0, -2).match(/(?<=^|,)("(?:[^"]|"")*"|[^",]*)(?=,|$)/g) ?? [];
  return fields.map((field) => (field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field));
}

const fieldsOf = (overrides: Parameters<typeof anExecution>[0]) => parseLine(csvRow(exportRow(anExecution(overrides))));
const withError = (error: string) => fieldsOf({ errors: [{ error, count: 9 }] })[8] ?? '';

describe('a row of CSV', () => {
  it('has every column, empty if the value is unknown', () => {
    expect(fieldsOf({ classifiedStatus: null, finishedAt: null, errors: null })).toEqual([
      'payments',
      anExecution().uuid,
      anExecution().id,
      'FAILURE',
      '',
      '2026-11-21T09:58:00.000Z',
      '',
      '',
      '',
      '',
      '0',
    ]);
    expect(fieldsOf({}).slice(5)).toEqual([
      '2026-11-21T09:58:00.000Z',
      '2026-11-21T09:59:00.000Z',
      '60000',
      'connection refused',
      '9',
      '0',
    ]);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '＝1+1', '  =cmd|calc', '\t=1', '\r\n=1', '\u200b=1'])(
    '%j is no formula',
    (text) => {
      for (const field of [withError(text), fieldsOf({ workflowName: text })[0]]) expect(field).toMatch(/^'[=+\-@＝]/);
    },
  );

  it('keeps commas, quotes and line breaks within their field', () => {
    expect(withError('a,"b"\r\nc,=d')).toBe('a,"b" c,=d');
  });

  it('counts the errors that it does not show', () => {
    const errors = Array.from({ length: 30 }, (_, index) => ({ error: `e${index}`, count: 1 }));
    expect(fieldsOf({ errors }).at(-1)).toBe('29');
  });

  it('masks secrets and keeps both ends of a long error', () => {
    expect(withError(`refused ${token}`)).not.toContain(token);
    expect(withError(`start ${'x'.repeat(9000)} the end`)).toMatch(/^start .* … .*the end$/);
  });

  it('has as many fields as columns, and none starts like a formula, whatever the values', () => {
    const anyText = fc.string({ unit: anyCharacter });
    fc.assert(
      fc.property(anyText, anyText, anyText, (workflowName, error, id) => {
        const fields = fieldsOf({ workflowName, id, errors: [{ error, count: 1 }] });
        expect(fields).toHaveLength(11);
        for (const field of fields) expect(field).not.toMatch(/^[=+\-@\t\r\n]/);
      }),
    );
  });

  it.each(hostileStrings('text'))('%s stays within one field', (_id, text) => {
    expect(fieldsOf({ workflowName: text, errors: [{ error: text, count: 1 }] })).toHaveLength(11);
  });
});

describe('a row', () => {
  it('has no duration if the end is before the start', () => {
    expect(exportRow(anExecution({ finishedAt: '2020-01-01T00:00:00Z' })).durationMs).toBeNull();
  });

  it('has at most twenty errors and counts the rest', () => {
    const errors = Array.from({ length: 30 }, () => ({ error: 'e', count: 1 }));
    const row = exportRow(anExecution({ errors }));
    expect([row.errors.length, row.errorsLeftOut]).toEqual([20, 10]);
  });
});
