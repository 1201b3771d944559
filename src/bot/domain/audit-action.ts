/** What is written down of a workspace, in the words that its admins read. */

export const auditActions = [
  'installed',
  'uninstalled',
  'key set',
  'key replaced',
  'key removed',
  'endpoint changed',
  'settings changed',
  'role granted',
  'role revoked',
  'digest created',
  'digest changed',
  'digest paused',
  'digest resumed',
  'digest removed',
  'digest asked for',
  'permission refused',
  'decrypt failure',
] as const;
export type AuditAction = (typeof auditActions)[number];
