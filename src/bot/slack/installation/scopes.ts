/** Bot scopes that the app asks for. manifest.yml gives the reason for each. */

/** Scopes without which the bot does not work, so an installation that lacks one is incomplete. */
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

export const optionalScopes = ['channels:history', 'groups:history'] as const;

/** Scopes that an admin may leave out, requested only if the configuration has the links to the platform's web page. */
export const linkScopes = ['links:read', 'links:write'] as const;

/** Scopes that Slack lists on the page where an admin agrees, if there are no links. */
export const botScopes = [...requiredScopes, ...optionalScopes] as const;

export function requestedScopes(hasLinks: boolean): readonly string[] {
  return hasLinks ? [...botScopes, ...linkScopes] : botScopes;
}

/** @param granted the scopes that Slack lists; undefined if it lists none @returns the required scopes that are missing */
export function missingScopes(granted: readonly string[] | undefined): readonly string[] {
  return granted === undefined ? [] : requiredScopes.filter((scope) => !granted.includes(scope));
}

const words = new Intl.ListFormat('en');

/** @returns for example `channels:read and groups:read` */
export function scopeWords(scopes: readonly string[]): string {
  return words.format(scopes);
}
