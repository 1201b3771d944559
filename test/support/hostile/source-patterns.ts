/** The regular expressions of the sources: those written in the code, and those that it builds. */
import { createScrub } from '../../../src/bot/query/client/scrub.ts';
import { escapeText } from '../../../src/local-slack/interactions/escape-text.ts';
import { noStorage } from '../../../src/local-slack/state/storage.ts';
import { Workspace } from '../../../src/local-slack/state/workspace.ts';
import { rescansOf, withoutUpperBounds } from './adversarial.ts';
import { builtDuring, type Pattern, patternsIn, readSource, sourceFiles } from './patterns.ts';

const read = sourceFiles().map((file) => patternsIn(file, readSource(file)));
const literals = read.flatMap((each) => each.literals);
export const constructions = read.flatMap((each) => each.constructions);

/** Built from what is only known later: each is built once with something of the kind. */
const builtLater: Readonly<Record<string, () => unknown>> = {
  'src/local-slack/interactions/escape-text.ts': () =>
    escapeText(
      '@ben',
      new Workspace({
        ...{ number: 1, clock: Date.now, onChange: () => undefined },
        ...{ organization: null, storage: noStorage },
      }),
      'message',
    ),
  'src/bot/query/client/scrub.ts': () => createScrub('wfq_a+b/c=d.e%f"g\\h').text('%41'),
};

/** @returns every pattern of the sources */
async function findPatterns(): Promise<readonly Pattern[]> {
  const files = [...new Set(constructions.map(({ file }) => file))];
  const built = await builtDuring(async () => {
    for (const file of files) await import(`../../../${file}?watched`);
    for (const build of Object.values(builtLater)) build();
  });
  return [...literals, ...built];
}

/** Everywhere in the text, or at its beginning alone where that is the pattern's way, with every upper bound of a repetition taken away. */
export function searchFor(pattern: Pick<Pattern, 'source' | 'flags'>): (text: string) => unknown {
  const searched = new RegExp(withoutUpperBounds(pattern), pattern.flags);
  return (text) => text.replace(searched, '');
}

/** Beginnings of patterns that read one text in two ways; as nothing after it can fail, nothing makes them try the other. */
const withoutSequel = ['[ \\t;,]{0,8}([^\\s=;,"', '\\b((?:https?|wss?):\\/\\/)(?:(?:'];

/** @returns the patterns, each once, and the ways in which they read a text again */
export async function suspectPatterns() {
  const every = await findPatterns();
  const patterns = [...new Map(every.map((each) => [`${each.source}/${each.flags}`, each])).values()];
  const suspects = patterns.filter(({ source }) => !withoutSequel.some((beginning) => source.startsWith(beginning)));
  const rescans = suspects.flatMap((each) => rescansOf(each).map((rescan) => ({ each, rescan })));
  return { every, patterns, rescans };
}
