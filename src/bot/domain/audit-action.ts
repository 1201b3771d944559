/** The actions that the audit of a workspace records, in the words that its admins read. */

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
  'digest requested',
  'permission refused',
  'decrypt failure',
] as const;
type AuditAction = (typeof auditActions)[number];

/** `userId` is null when the bot acts by itself. */
type AuditActor = { readonly teamId: string; readonly userId: string | null };

/**
 * Writes one entry of the audit. Never rejects: a failed write is logged.
 * @param detail the object of the action; never a secret, nor a value of one
 */
export type AuditRecorder = (
  actor: AuditActor,
  action: AuditAction,
  detail?: Readonly<Record<string, string | number | boolean>>,
) => Promise<void>;
