/** New and recurring causes. */
import { describe, expect, it } from 'vitest';
import { groupByCause, withRecurrence } from '../../../../src/bot/insight/causes/cause.ts';
import { anExecution } from '../../../support/service-data.ts';

const failed = (error: string) => anExecution({ errors: [{ error, count: 9 }] });
const groups = groupByCause([failed('connection refused by 10.0.0.7')]);
const recurrence = (before: Parameters<typeof withRecurrence>[1]) =>
  withRecurrence(groups, before).map((group) => group.recurrence);

describe('a cause', () => {
  it('is recurring if it failed before with other numbers in its text', () => {
    expect(recurrence({ executions: [failed('connection refused by 10.0.0.9')], isCut: false })).toEqual(['recurring']);
    expect(recurrence({ executions: [failed('connection refused by 10.0.0.9')], isCut: true })).toEqual(['recurring']);
  });

  it('is new if all failures before are known and none has it', () => {
    expect(recurrence({ executions: [failed('certificate has expired')], isCut: false })).toEqual(['new']);
    expect(recurrence({ executions: [], isCut: false })).toEqual(['new']);
  });

  it('is neither without an error text: two such failures may have different causes', () => {
    const bare = groupByCause([anExecution({ errors: null })]);
    const ofBare = (executions: readonly ReturnType<typeof failed>[]) =>
      withRecurrence(bare, { executions, isCut: false }).map((group) => group.recurrence);
    expect(ofBare([anExecution({ errors: null })])).toEqual(['unknown']);
    expect(ofBare([])).toEqual(['unknown']);
  });

  it('is neither if not all failures before are known', () => {
    expect(recurrence({ executions: [failed('certificate has expired')], isCut: true })).toEqual(['unknown']);
    expect(recurrence(null)).toEqual(['unknown']);
  });
});
