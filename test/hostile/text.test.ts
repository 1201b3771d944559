/** The hostile cases of the section `text`: each string in every text of the service, in the answers of each command. */
import { describe, expect, it } from 'vitest';
import * as registry from '../../src/bot/commands/registry.ts';
import { everyLine, fewLines, useAnswers } from '../support/bot/every-answer.ts';
import { type CaseRun, walk } from '../support/bot/walk.ts';
import { hostileStrings } from '../support/hostile/hostile.ts';
import { expectInert } from '../support/hostile/inert.ts';
import { plainTexts, sameText, type WorldTexts, worldOf } from '../support/service/world.ts';
import { fiveHundredFailures } from './limits.ts';

const answersTo = useAnswers();

const runs = Object.fromEntries(
  hostileStrings('text').map(([id, string]): [string, CaseRun] => {
    const name = id.replace('text/', '');
    return [name, async () => expectInert(name, await answersTo(worldOf(() => sameText(string))))];
  }),
);

walk({
  section: 'text',
  runs: { ...runs, 'sum-of-limits': fiveHundredFailures },
  elsewhere: { 'log-1M-lines': 'test/hostile/every-line.long.test.ts' },
  open: { 'sum-of-limits': 'as the list of failures; digests are not built' },
});

describe('the tested answers', () => {
  const places = Object.keys(plainTexts) as readonly (keyof WorldTexts)[];
  const marked = Object.fromEntries(places.map((place) => [place, `mark${place}`])) as WorldTexts;
  const shownBy = async (lines: readonly string[]) => {
    const { sent } = await answersTo(
      worldOf(() => marked),
      lines,
    );
    return places.filter((place) => sent.includes(`mark${place}`));
  };

  it('show every text of the service', async () => {
    expect(await shownBy(fewLines)).toEqual(places);
  });

  it.each(Object.keys(registry))('of “%s” show each text that any of its lines shows', async (word) => {
    const ofWord = (line: string) => line.split(' ', 1)[0] === word;
    expect(await shownBy(fewLines.filter(ofWord))).toEqual(await shownBy(everyLine.filter(ofWord)));
  });
});
