/** Ids in Slack's form that nobody guesses. */
import { randomBytes } from 'node:crypto';

const signs = 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789';

/** @param letter that says what it is of, such as `F` for a file */
export function newSlackId(letter: string, length = 10): string {
  return letter + [...randomBytes(length)].map((byte) => signs[byte % signs.length]).join('');
}
