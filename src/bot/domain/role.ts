/** Roles: a reader asks, an operator also sets up digests, an admin also connects, grants and configures. */

/** Roles that are granted; every other member is a reader. */
const roles = ['operator', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Roles that a command may need, the lowest first. */
const needs = ['reader', ...roles] as const;
export type Need = (typeof needs)[number];

/** A person's membership according to Slack. A guest is in some channels or in one; an external person belongs to another company. */
export type Membership = 'admin' | 'member' | 'guest' | 'single_channel_guest' | 'external' | 'deactivated';

/** Guests who may read, as an admin chose. */
export const guestReaders = ['none', 'multi_channel', 'all'] as const;
export type GuestReaders = (typeof guestReaders)[number];

export function isRole(text: string): text is Role {
  return roles.some((role) => role === text);
}

/**
 * @param membership according to Slack @param granted by an admin @param guests who may read
 * @returns undefined for no access. Slack's admins are admins here; guests read at most, whatever was granted
 */
export function effectiveRole(
  membership: Membership,
  granted: Role | undefined,
  guests: GuestReaders,
): Need | undefined {
  switch (membership) {
    case 'deactivated':
    case 'external':
      return undefined;
    case 'guest':
      return guests === 'none' ? undefined : 'reader';
    case 'single_channel_guest':
      return guests === 'all' ? 'reader' : undefined;
    case 'admin':
      return 'admin';
    case 'member':
      return granted ?? 'reader';
  }
}

export function isEnough(held: Need | undefined, needed: Need): boolean {
  return held !== undefined && needs.indexOf(held) >= needs.indexOf(needed);
}
