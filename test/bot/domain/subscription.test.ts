/** Validation of the workflows of a stored subscription. */
import { expect, it } from 'vitest';
import { chosenMax, readChosenWorkflows } from '../../../src/bot/domain/subscription.ts';

it.each([{ kind: 'all' }, { kind: 'text', text: 'billing' }, { kind: 'chosen', uuids: ['a', 'b'] }])(
  '%o is a valid choice of workflows',
  (value) => {
    const read = readChosenWorkflows({ ...value, more: 1 });
    expect(read).toEqual(value);
    expect(Object.isFrozen(read)).toBe(true);
  },
);

it.each([
  null,
  'all',
  { kind: 'none' },
  { kind: 'text', text: ' ' },
  { kind: 'text', text: 'x'.repeat(257) },
  { kind: 'text' },
  { kind: 'chosen', uuids: [] },
  { kind: 'chosen', uuids: [1] },
  { kind: 'chosen', uuids: Array.from({ length: chosenMax + 1 }, String) },
])('%o is an invalid choice of workflows', (value) => expect(readChosenWorkflows(value)).toBeUndefined());
