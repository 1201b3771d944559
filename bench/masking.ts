/** `npm run bench -- masking`: the cost of masking lines without a hint, lines with a secret, and a whole log. */
import { performance } from 'node:perf_hooks';
import { redact } from '../src/shared/redaction/redact.ts';
import { innocentLines } from '../test/support/masking/innocent-lines.ts';
import { labelledSecrets } from '../test/support/masking/secret-shapes.ts';
import { machine, table, writeFigures } from './support/figures.ts';

const rounds = 15;
const logUnits = 100_000;
const lineUnits = 200;

const innocent = innocentLines(3000);
const plain = 'reading the price feed from node 3 of 10 took 132 ms, status ok, block 19283746, gas 21000, retries 0; ';
const texts = {
  'a line of 200 characters without a hint': [plain.repeat(2).slice(0, lineUnits)],
  '3,000 lines without a secret': innocent,
  'lines with a secret': labelledSecrets(6).map(({ text }) => text),
  'a log of 100 kB without a secret': [innocent.join('\n').slice(0, logUnits)],
  'a hostile text of 100 kB': ['a-key-'.repeat(logUnits / 6)],
  'unclosed lists of tokens, 100 kB': ['tokens:['.repeat(logUnits / 8)],
} as const;

/** @returns microseconds for one text, in the best round: other rounds include other work of the machine */
function cost(each: readonly string[]): number {
  const repeated = Math.max(1, Math.round(200_000 / each.join('').length));
  const times = Array.from({ length: rounds }, () => {
    const startedAt = performance.now();
    for (let run = 0; run < repeated; run++) for (const text of each) redact(text);
    return ((performance.now() - startedAt) * 1000) / (repeated * each.length);
  });
  return Math.min(...times);
}

console.log(`${machine()}; the best of ${rounds} rounds, everything warm.\n`);
const measured = Object.entries(texts).map(([name, each]) => ({ name, microseconds: cost(each) }));
console.log(
  table(
    ['Text', 'one takes, µs'],
    measured.map(({ name, microseconds }) => [name, microseconds]),
  ),
);
console.log(`\nNumbers: ${writeFigures('masking', { rounds, measured })}`);
