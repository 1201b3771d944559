/** Tells words from letters drawn at random, by the pairs of letters that words are made of. */

/** Each group: a letter, then every letter that follows it in ordinary words (of 44,000 words of technical prose, pairs above 0.05 %). */
const pairs = new Set(
  `abcdfgiklmnprstuvy baeijlorsu cacehiklorstu dadegilorsuy eabcdefgilmnpqrstvwxy faefilortu gaehilnorsu haeiortu
  iabcdefgklmnoprstvz jes kaefis ladeilostuy mabeijmopsu nacdefgiklnopstuv oabcdefgiklmnoprstuvw paehilmoprstu qu
  racdefgikmnorstuvy sacehiklopstuy tacehiloprstuwy uabcdegilmnprst vaei waehinors xaeipt ynops ze`
    .split(/\s+/)
    .flatMap((group) => [...group.slice(1)].map((next) => `${group[0]}${next}`)),
);

/** @param letters one or more of A-Z, a-z @returns the share of neighbouring pairs that words have: about 0.97 for words, 0.4 for random letters */
export function englishness(letters: string): number {
  const lower = letters.toLowerCase();
  if (lower.length < 2) return 1;
  let known = 0;
  for (let at = 1; at < lower.length; at++) if (pairs.has(lower.slice(at - 1, at + 1))) known += 1;
  return known / (lower.length - 1);
}
