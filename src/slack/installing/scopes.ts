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
