/** Credits as the specification writes them, a decimal text, and as they are kept, whole millionths. */

const creditsPattern = /^(-?)(\d{1,9})(?:\.(\d{1,6})0*)?$/;

/** @param text such as `0.05` @returns millionths; null for anything else, and for what millionths cannot hold */
export function parseCredits(text: string): number | null {
  const [, sign, whole, fraction = ''] = creditsPattern.exec(text) ?? [];
  if (whole === undefined) return null;
  const micros = Number(whole) * 1_000_000 + Number(fraction.padEnd(6, '0'));
  // Zero has no sign.
  return sign === '-' && micros > 0 ? -micros : micros;
}

/** @param micros millionths, whole @returns without zeros at its end */
export function printCredits(micros: number): string {
  const digits = String(Math.abs(micros)).padStart(7, '0');
  const fraction = digits.slice(-6).replace(/(?<!0)0+$/, '');
  return `${micros < 0 ? '-' : ''}${digits.slice(0, -6)}${fraction === '' ? '' : `.${fraction}`}`;
}
