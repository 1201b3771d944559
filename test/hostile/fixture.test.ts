/** The hostile cases are those of the specification. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hostileCases } from '../support/hostile/hostile.ts';
import { expectEvery } from '../support/runner/every.ts';

const copy = new URL('../fixtures/hostile-slack.json', import.meta.url);
const original = new URL('../../../shared/spec/hostile-slack.json', import.meta.url);

describe('the hostile cases', () => {
  it.skipIf(!existsSync(original))('equal the original byte for byte, if the specification is available', () => {
    expect(readFileSync(copy).equals(readFileSync(original))).toBe(true);
  });

  it.each([
    ['ingress', 45],
    ['command', 26],
    ['text', 56],
    ['secret', 37],
    ['upstream', 52],
    ['slack', 44],
  ])('of the section %s are %i, each with its own id', (section, length) => {
    const ids = hostileCases(section).map(({ id }) => id);
    expect(new Set(ids).size).toBe(length);
    expectEvery(ids, (id) => id.startsWith(`${section}/`));
  });
});
