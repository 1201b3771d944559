/** What a person may do beyond reading: an operator sets up digests, an admin also connects, grants and configures. */

export const roles = ['operator', 'admin'] as const;
export type Role = (typeof roles)[number];

export function isRole(text: string): text is Role {
  return roles.some((role) => role === text);
}
