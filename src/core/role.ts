/** Who may do what: a reader asks, an operator also sets up digests, an admin also connects, grants and configures. */

/** What is granted; everybody else in the workspace is a reader. */
export const roles = ['operator', 'admin'] as const;
export type Role = (typeof roles)[number];

/** What a command needs of the person who runs it, the least first. */
export const needs = ['reader', ...roles] as const;
export type Need = (typeof needs)[number];

/** What Slack says of a person: of a guest that only some channels are open to them. */
export type Standing = 'admin' | 'member' | 'guest' | 'deactivated';

export function isRole(text: string): text is Role {
  return roles.some((role) => role === text);
}

/**
 * @param standing what Slack says of the person now @param granted what an admin gave them
 * @returns undefined for nothing at all: Slack's own admins are admins here, guests only read, whatever was granted
 */
export function effectiveRole(standing: Standing, granted: Role | undefined): Need | undefined {
  switch (standing) {
    case 'deactivated':
      return undefined;
    case 'guest':
      return 'reader';
    case 'admin':
      return 'admin';
    case 'member':
      return granted ?? 'reader';
  }
}

export function isEnough(held: Need | undefined, needed: Need): boolean {
  return held !== undefined && needs.indexOf(held) >= needs.indexOf(needed);
}
