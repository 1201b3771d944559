/** Recall and false positives of masking: the figures of docs/masking.md. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparableText, holdsSecret, maskedCount, redact } from '../../../src/shared/redaction/redact.ts';
import { innocentLines } from '../../support/masking/innocent-lines.ts';
import { confusingLines, markedSecrets } from '../../support/masking/marked-texts.ts';
import { type LabelledSecret, labelledSecrets, shapeNames } from '../../support/masking/secret-shapes.ts';

const secrets = labelledSecrets(6);
const innocent = innocentLines(3000);
const marked = markedSecrets(20_261);
const shapesOf = (values: readonly LabelledSecret[]) => new Set(values.map(({ shape }) => shape)).size;
const confusing = confusingLines(20_261);

/** The last four of more than 20 characters may stay; eight others in a row may not. */
function isLeaked({ secret, text }: LabelledSecret): boolean {
  const masked = redact(text);
  const hidden = secret.length > 20 ? secret.slice(0, -4) : secret;
  const length = Math.min(8, hidden.length);
  const pieces = Array.from({ length: hidden.length - length + 1 }, (_, at) => hidden.slice(at, at + length));
  return pieces.some((piece) => masked.includes(piece));
}

describe('masking', () => {
  it('hides at least 98 of 100 secrets, and most of every shape', () => {
    const leaked = secrets.filter(isLeaked);
    expect({ shapes: shapeNames.length >= 60, secrets: secrets.length >= 300 }).toEqual({
      shapes: true,
      secrets: true,
    });
    expect(leaked.length / secrets.length, leaked.map(({ text }) => text).join('\n')).toBeLessThanOrEqual(0.02);
  });

  it('changes at most 5 of 1,000 lines without a secret', () => {
    const touched = innocent.filter((line) => redact(line) !== line);
    expect(touched.length / innocent.length, touched.join('\n')).toBeLessThanOrEqual(0.005);
  });

  it('hides at least 95 of 100 shapes that were written before their rules, and changes at most 2 of 100 confusing lines', () => {
    const leaked = marked.filter(isLeaked);
    const touched = confusing.filter((line) => redact(line) !== line);
    expect(marked.every(({ secret }) => secret !== '') && shapesOf(marked) > 2000 && confusing.length > 1300).toBe(
      true,
    );
    expect(
      shapesOf(leaked) / shapesOf(marked),
      leaked.map(({ shape, text }) => `${shape}: ${redact(text)}`).join('\n'),
    ).toBeLessThanOrEqual(0.05);
    expect(touched.length / confusing.length, touched.join('\n')).toBeLessThanOrEqual(0.02);
  });

  it('has the figures that the documentation states', () => {
    const stated = readFileSync('docs/masking.md', 'utf8');
    const hidden = secrets.length - secrets.filter(isLeaked).length;
    const touched = innocent.filter((line) => redact(line) !== line).length;
    expect(stated).toContain(`${hidden} of ${secrets.length} secrets in ${shapeNames.length} shapes`);
    expect(stated).toContain(`${touched} of ${innocent.length.toLocaleString('en')} lines`);
    const shapes = shapesOf(marked);
    expect(stated).toContain(`${shapes - shapesOf(marked.filter(isLeaked))} of ${shapes} shapes`);
    expect(stated).toContain(
      `${confusing.filter((line) => redact(line) !== line).length} of ${confusing.length} lines`,
    );
  });

  it('changes nothing when it runs again, and says so', () => {
    for (const { text } of secrets) {
      const masked = redact(text);
      expect(redact(masked)).toBe(masked);
      expect(maskedCount(masked)).toBeGreaterThan(0);
      expect(maskedCount(comparableText(text))).toBeGreaterThan(0);
      expect([holdsSecret(text), holdsSecret(masked)]).toEqual([true, false]);
    }
  });

  it('changes nothing when it runs again over any mixture of names, separators, quotes and values', () => {
    const part = fc.constantFrom(
      ...[
        'token',
        'password',
        'cookie',
        'authorization',
        'Bearer',
        'mnemonic',
        'key',
        'secret',
        '=',
        ':',
        ': ',
        '=>',
        ',',
        ';',
        '&',
      ],
      ...[
        '"',
        "'",
        '\\"',
        '[',
        ']',
        '(',
        ')',
        '{',
        ' ',
        '\n',
        '://',
        '@',
        '/',
        '.',
        '--',
        '[secret]',
        '[secret …abcd]',
        '[cookie]',
      ],
      ...[
        'hunter2!',
        'aB3dE5fG7hI9jK1l',
        'harbor',
        'a=b',
        'https',
        'mainnet.infura.io',
        '0x00ff',
        'curl -u ',
        '-p ',
        'eyJ',
      ],
    );
    const texts = fc.array(part, { maxLength: 14 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => redact(redact(text)) === redact(text)),
      { numRuns: 20_000 },
    );
  });
});
