/** Renders the OAuth consent page: requested scopes, workspace, and the person who answers. */
import { escapeMarkup } from '../../shared/escape-markup.ts';
import type { Workspace, Workspaces } from '../state/workspace.ts';
import type { AuthorizeError, AuthorizeRequest } from './oauth.ts';

type PageFacts = {
  readonly appName: string;
  readonly requested: AuthorizeRequest;
  /** The query of the request; sent with the form. */
  readonly query: URLSearchParams;
  readonly workspaces: Workspaces;
};

/** Slack's descriptions of the scopes that the bot requests. */
const scopeWords: Readonly<Record<string, string>> = {
  commands: 'Add shortcuts and slash commands that people can use',
  'chat:write': 'Send messages as the app',
  'files:write': 'Upload, edit, and delete files as the app',
  'im:write': 'Start direct messages with people',
  'im:history': 'View messages in direct messages that the app has been added to',
  'im:read': 'View basic information about direct messages that the app has been added to',
  'users:read': 'View people in the workspace',
  'app_mentions:read': 'View messages that directly mention the app',
  'channels:history': 'View messages in public channels that the app has been added to',
  'channels:read': 'View basic information about public channels in the workspace',
  'groups:history': 'View messages in private channels that the app has been added to',
  'groups:read': 'View basic information about private channels that the app has been added to',
  'links:read': 'View URLs in messages',
  'links:write': 'Show previews of URLs in messages',
};

/** Query parameters that the app may set; the answer and the person are not among them. */
const requestParameters: ReadonlySet<string> = new Set(['client_id', 'scope', 'redirect_uri', 'state']);

/** @returns HTML without scripts */
export function authorizePage({ appName, requested, query, workspaces }: PageFacts): string {
  const own = [...query].filter(([name]) => requestParameters.has(name));
  const hidden = own.map(
    ([name, value]) => `<input type="hidden" name="${escapeMarkup(name)}" value="${escapeMarkup(value)}">`,
  );
  const scopes = requested.scopes.map((scope) => {
    return `<li>${escapeMarkup(scopeWords[scope] ?? 'Something this local Slack has no words for')} <code>${escapeMarkup(scope)}</code></li>`;
  });
  return page(
    `${appName} asks for permission`,
    `<h1>${escapeMarkup(appName)} asks for permission to work in a Slack workspace</h1>
    <form method="post" action="/oauth/v2/authorize">
      ${hidden.join('\n      ')}
      <label for="user">Workspace, and whom you act as</label>
      <select id="user" name="user">${choices(workspaces.all)}${wholes(workspaces)}</select>
      <h2>${escapeMarkup(appName)} will be able to</h2>
      <ul>${scopes.join('')}</ul>
      <div class="oauth-buttons">
        <button type="submit" name="answer" value="cancel" class="button">Cancel</button>
        <button type="submit" name="answer" value="allow" class="button button-primary">Allow</button>
      </div>
    </form>
    <p class="small soft">You are sent back to ${escapeMarkup(new URL(requested.redirectUri).origin)}.</p>`,
  );
}

/** The error page for an invalid request, without a redirect. */
export function authorizeError(error: AuthorizeError | 'user_not_found'): string {
  const body = `<h1>Something went wrong when authorizing this app</h1><p>${problems[error]}</p><p>Error: <code>${error}</code></p>`;
  return page('Something went wrong', body);
}

const problems: Readonly<Record<AuthorizeError | 'user_not_found', string>> = {
  invalid_client_id: 'No app of this local Slack has that client id.',
  bad_redirect_uri: 'The redirect_uri does not match any configured URIs.',
  no_scopes: 'No scopes were requested.',
  user_not_found: 'There is no such member.',
};

/** Lists workspaces without the app first, since the person most likely means one of them. */
function choices(workspaces: readonly Workspace[]): string {
  const bare = workspaces.filter(({ installation }) => !installation.isInstalled());
  return [...bare, ...workspaces.filter((each) => !bare.includes(each))].map(optionsOf).join('');
}

/** Lists the admins of each organization, who can install the app in the whole of it. */
function wholes({ all, organizations }: Workspaces): string {
  return organizations
    .map(({ id, name, adminIds }) => {
      const people = all.flatMap((each) => each.people).filter((person) => adminIds.has(person.id));
      const admins = [...new Map(people.map((person) => [person.id, person])).values()];
      const options = admins.map(
        (person) =>
          `<option value="${escapeMarkup(`${person.id}:${id}`)}">${escapeMarkup(name)} (all): ${escapeMarkup(person.realName)}</option>`,
      );
      return `<optgroup label="${escapeMarkup(name)} (the whole organization)">${options.join('')}</optgroup>`;
    })
    .join('');
}

function optionsOf({ name, people }: Workspace): string {
  const members = people.filter(({ isBot, isDeleted }) => !isBot && !isDeleted);
  const options = members.map(({ id, realName, isAdmin }) => {
    return `<option value="${escapeMarkup(id)}">${escapeMarkup(name)}: ${escapeMarkup(realName)}${isAdmin ? ', admin' : ''}</option>`;
  });
  return `<optgroup label="${escapeMarkup(name)}">${options.join('')}</optgroup>`;
}

function page(title: string, body: string): string {
  const styles = ['theme', 'control'].map((name) => {
    return `<link rel="stylesheet" href="/assets/style/${name}.css">`;
  });
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeMarkup(title)}</title>
    <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
    ${styles.join('\n    ')}
  </head>
  <body class="oauth"><main>${body}</main></body>
</html>
`;
}
