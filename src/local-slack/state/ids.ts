/** Ids in Slack's form. */
import { randomBytes } from 'node:crypto';

const signs = 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789';

/** @param letter of the type, such as `F` for a file */
export function newSlackId(letter: string, length = 10): string {
  return letter + [...randomBytes(length)].map((byte) => signs[byte % signs.length]).join('');
}

/** An id in Slack's form: a letter, then capitals and digits. The workspace's number makes it unique across workspaces. */
export function slackId(letter: string, number: number, name: string): string {
  const letters = name.toUpperCase().replace(/[^A-Z]/g, '');
  return `${letter}${String(number).padStart(2, '0')}${letters.slice(0, 8).padEnd(8, '0')}`;
}
