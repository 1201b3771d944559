/** How names are compared: case folded here rather than in the database, whose own folding knows ASCII only. */

/** @returns the text in composed form and lower case, of any alphabet */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
