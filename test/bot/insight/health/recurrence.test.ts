/** New and recurring causes. */
import { describe, expect, it } from 'vitest';
import { groupByCause, withCause, withRecurrence } from '../../../../src/bot/insight/causes/cause.ts';
import type { Recurrence } from '../../../../src/bot/insight/causes/recurrence.ts';
import { anExecution } from '../../../support/service/service-data.ts';

const groups = groupByCause(
  ['a', 'b'].map((workflowName) =>
    withCause(anExecution({ workflowName, errors: [{ error: 'connection refused', count: 9 }] })),
  ),
);
const recurrence = (a: Recurrence, b: Recurrence) =>
  withRecurrence(groups, (name) => (name === 'a' ? a : b)).map((group) => group.recurrence);

describe('a cause of two workflows', () => {
  it('is new only if it is new in both', () => {
    expect(recurrence('new', 'new')).toEqual(['new']);
    expect(recurrence('new', 'unknown')).toEqual(['unknown']);
  });

  it('is ongoing or recurring if it is in one of them', () => {
    expect(recurrence('new', 'recurring')).toEqual(['recurring']);
    expect(recurrence('unknown', 'recurring')).toEqual(['recurring']);
    expect(recurrence('ongoing', 'recurring')).toEqual(['ongoing']);
  });

  it('is none of them without an error text: two such failures may have different causes', () => {
    const bare = groupByCause([withCause(anExecution({ errors: null }))]);
    expect(withRecurrence(bare, () => 'recurring').map((group) => group.recurrence)).toEqual(['unknown']);
  });
});
