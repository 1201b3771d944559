/** Reads glyph widths from a TrueType file: https://learn.microsoft.com/typography/opentype/spec/otff */
import { readFileSync } from 'node:fs';

/** @returns the advance width of each character that the font has, as a share of its size */
export function advancesOf(file: string): ReadonlyMap<string, number> {
  const bytes = readFileSync(file);
  const table = (tag: string) => {
    for (let record = 12; record < 12 + 16 * bytes.readUInt16BE(4); record += 16) {
      if (bytes.toString('latin1', record, record + 4) === tag) return bytes.subarray(bytes.readUInt32BE(record + 8));
    }
    throw new Error(`The font has no ${tag}.`);
  };
  const [unitsPerEm, longMetrics] = [table('head').readUInt16BE(18), table('hhea').readUInt16BE(34)];
  const metrics = table('hmtx');
  const advance = (glyph: number) => metrics.readUInt16BE(4 * Math.min(glyph, longMetrics - 1)) / unitsPerEm;
  return new Map(glyphsOf(table('cmap')).map(([code, glyph]) => [String.fromCodePoint(code), advance(glyph)]));
}

/** From the subtable of format 12, which has every character. */
function glyphsOf(cmap: Buffer): readonly (readonly [code: number, glyph: number])[] {
  const offsets = Array.from({ length: cmap.readUInt16BE(2) }, (_, index) => cmap.readUInt32BE(8 + 8 * index));
  const subtable = offsets.map((offset) => cmap.subarray(offset)).find((each) => each.readUInt16BE(0) === 12);
  if (!subtable) throw new Error('The font has no cmap of format 12.');
  return Array.from({ length: subtable.readUInt32BE(12) }, (_, index) => {
    const [first, last, glyph] = [0, 4, 8].map((field) => subtable.readUInt32BE(16 + 12 * index + field));
    if (first === undefined || last === undefined || glyph === undefined) return [];
    return Array.from({ length: last - first + 1 }, (_, step) => [first + step, glyph + step] as const);
  }).flat();
}
