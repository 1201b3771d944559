/** The font of the charts: its characters and their widths. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { drawable, fitted, fittedEnds, textWidth } from '../../../../src/bot/views/charts/svg.ts';
import { advancesOf } from '../../../support/drawing/font.ts';

const file = fileURLToPath(import.meta.resolve('@expo-google-fonts/inter/500Medium/Inter_500Medium.ttf'));
const advances = advancesOf(file);
const sentences = [
  'The quick brown fox jumps over the lazy dog 0123456789',
  'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία',
  'Съешь же ещё этих мягких французских булок',
  'Zażółć gęślą jaźń — příliš žluťoučký kůň',
  'Chạy thử đường ống dữ liệu “mới”',
];

describe('drawable text', () => {
  it('contains only characters of the font', () => {
    const all = Array.from({ length: 0xd7ff - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));
    const drawn = all.filter((character) => drawable(character) === character);
    expect(drawn.filter((character) => !advances.has(character))).toEqual([]);
    expect(drawn.length).toBeGreaterThan(1000);
  });

  it.each(sentences)('keeps Latin, Greek and Cyrillic whole: %s', (sentence) => {
    expect(drawable(sentence)).toBe(sentence);
  });

  it('has one box for each character of another script', () => {
    expect(drawable('支払い-v2 שלום 👩‍👩‍👧')).toBe('□□□-v2 □□□□ □');
  });

  it('drops marks that do not make a letter, so that none towers over a row', () => {
    expect(drawable('z\u0335\u0336\u0337\u0338o')).toBe('zo');
  });
});

describe('widths', () => {
  it('are the font’s own for ASCII, to a hundredth of the size', () => {
    for (let code = 0x20; code < 0x7f; code++) {
      const character = String.fromCharCode(code);
      expect(Math.abs(textWidth(character, 1) - (advances.get(character) ?? 0))).toBeLessThanOrEqual(0.01);
    }
  });

  it.each(sentences)('are never too small for a sentence: %s', (sentence) => {
    const exact = Array.from(sentence).reduce((sum, character) => sum + (advances.get(character) ?? 0), 0);
    expect(textWidth(sentence, 1)).toBeGreaterThanOrEqual(exact - 0.05);
  });

  it('decide what is cut: at the end, or keeping both ends', () => {
    const name = 'evm:ChainSelector:16015286601757825753@1.0.0';
    expect(fitted(name, 30, 10_000)).toBe(name);
    expect(fitted(name, 30, 300)).toBe('evm:ChainSelector…');
    expect(fittedEnds(name, 30, 300)).toBe('evm:ChainSel…1.0.0');
    for (const cut of [fitted(name, 30, 300), fittedEnds(name, 30, 300)]) expect(textWidth(cut, 30)).toBeLessThan(300);
  });
});
