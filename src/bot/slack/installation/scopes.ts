/** Bot scopes that the app asks for. manifest.yml gives the reason for each. */

/** Without one of these the bot does not do what it says, so an installation that lacks one is incomplete. */
export const requiredScopes = [
  'commands',
  'chat:write',
  'users:read',
  'files:write',
  'im:write',
  'app_mentions:read',
  'im:history',
  'channels:read',
  'groups:read',
] as const;

/** An admin may leave these out. */
export const optionalScopes = ['channels:history', 'groups:history'] as const;

/** Asked for on the page where an admin agrees. */
export const botScopes = [...requiredScopes, ...optionalScopes] as const;

/** @param granted as Slack says; undefined where it does not say @returns the required ones that are missing */
export function missingScopes(granted: readonly string[] | undefined): readonly string[] {
  return granted === undefined ? [] : requiredScopes.filter((scope) => !granted.includes(scope));
}

const words = new Intl.ListFormat('en');

/** @returns such as `channels:read and groups:read` */
export function scopeWords(scopes: readonly string[]): string {
  return words.format(scopes);
}
