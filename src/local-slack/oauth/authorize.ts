/** `/oauth/v2/authorize`: the consent page with scopes, workspace and person, and the redirect with the answer. */
import type { IncomingMessage } from 'node:http';
import { escapeMarkup } from '../../shared/escape-markup.ts';
import { findActor } from '../interactions/invoke.ts';
import { contentSecurityPolicy, type HttpAnswer, readBody, refuseOtherSites, textAnswer } from '../server/http.ts';
import type { LocalSlack } from '../server/local-slack.ts';
import { Refused } from '../state/content.ts';
import { manifestScopeWords, type Workspaces } from '../state/workspace.ts';

const bodyBytesMax = 16_384;

/** @param url of the request, whose query contains the app's parameters */
export async function serveAuthorize(request: IncomingMessage, url: URL, slack: LocalSlack): Promise<HttpAnswer> {
  try {
    if (request.method === 'GET') return question(url.searchParams, slack);
    if (request.method !== 'POST') return textAnswer(403, 'forbidden_origin');
    refuseOtherSites(request);
    const form = new URLSearchParams((await readBody(request, bodyBytesMax)).toString('utf8'));
    const [user = '', organization] = (form.get('user') ?? '').split(':');
    const location = answer(form, { user, organization, isAllowed: form.get('answer') === 'allow' }, slack);
    return { status: 302, headers: { location }, body: '' };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return errorPage(error.message);
  }
}

export type ConsentAnswer = {
  readonly user: string;
  readonly isAllowed: boolean;
  /** Id of the organization that the person installs the app in as a whole; only its admins can. */
  readonly organization?: string | undefined;
};

/** @param query of the authorization request @returns the redirect @throws Refused for an invalid request or person */
export function answer(
  query: URLSearchParams,
  { user, isAllowed, organization: organizationId }: ConsentAnswer,
  { oauth, workspaces }: LocalSlack,
): string {
  const requested = oauth.read(query);
  if (!isAllowed) return oauth.refuse(requested);
  const actor = findActor(workspaces.all, user);
  const organization = workspaces.organizations.find(({ id }) => id === organizationId) ?? null;
  const mayInstall = organizationId === undefined || organization?.adminIds.has(user) === true;
  if (!actor || !mayInstall) throw new Refused('user_not_found');
  return oauth.allow(requested, { workspace: actor.workspace, organization, userId: user });
}

/** Query parameters that the app may set; the answer and the person are not among them. */
const requestParameters: ReadonlySet<string> = new Set(['client_id', 'scope', 'redirect_uri', 'state']);

function question(query: URLSearchParams, { oauth, workspaces, app }: LocalSlack): HttpAnswer {
  const { scopes, redirectUri } = oauth.read(query);
  const appName = escapeMarkup(app.name);
  const hidden = [...query]
    .filter(([name]) => requestParameters.has(name))
    .map(([name, value]) => `<input type="hidden" name="${escapeMarkup(name)}" value="${escapeMarkup(value)}">`);
  const items = scopes.map((scope) => {
    return `<li>${escapeMarkup(manifestScopeWords[scope] ?? 'Something this local Slack has no words for')} <code>${escapeMarkup(scope)}</code></li>`;
  });
  const { origin } = new URL(redirectUri);
  const body = `<h1>${appName} asks for permission to work in a Slack workspace</h1>
    <form method="post" action="/oauth/v2/authorize">
      ${hidden.join('\n      ')}
      <label for="user">Workspace, and whom you act as</label>
      <select id="user" name="user">${choices(workspaces)}</select>
      <h2>${appName} will be able to</h2>
      <ul>${items.join('')}</ul>
      <div class="oauth-buttons">
        <button type="submit" name="answer" value="cancel" class="button">Cancel</button>
        <button type="submit" name="answer" value="allow" class="button button-primary">Allow</button>
      </div>
    </form>
    <p class="small soft">You are sent back to ${escapeMarkup(origin)}.</p>`;
  return page(200, { title: `${app.name} asks for permission`, body, formTarget: origin });
}

/** Workspaces without the app first, since the person most likely means one of them; then whole organizations and their admins. */
function choices({ all, organizations }: Workspaces): string {
  const bareFirst = all.toSorted((one, other) => +one.installation.isInstalled() - +other.installation.isInstalled());
  const workspaces = bareFirst.map(({ name, people }) => {
    const members = people.filter(({ isBot, isDeleted }) => !isBot && !isDeleted);
    const options = members.map(({ id, realName, isAdmin }): Option => {
      return [id, `${name}: ${realName}${isAdmin ? ', admin' : ''}`];
    });
    return optionGroup(name, options);
  });
  const wholes = organizations.map(({ id, name, adminIds }) => {
    const admins = all.flatMap(({ people }) => people).filter((person) => adminIds.has(person.id));
    const options = admins.map((person): Option => [`${person.id}:${id}`, `${name} (all): ${person.realName}`]);
    // An admin is a member of several of its workspaces.
    return optionGroup(`${name} (the whole organization)`, [...new Map(options)]);
  });
  return [...workspaces, ...wholes].join('');
}

type Option = readonly [value: string, words: string];

function optionGroup(label: string, options: readonly Option[]): string {
  const drawn = options.map(
    ([value, words]) => `<option value="${escapeMarkup(value)}">${escapeMarkup(words)}</option>`,
  );
  return `<optgroup label="${escapeMarkup(label)}">${drawn.join('')}</optgroup>`;
}

const problems: Readonly<Record<string, string>> = {
  invalid_client_id: 'No app of this local Slack has that client id.',
  bad_redirect_uri: 'The redirect_uri does not match any configured URIs.',
  no_scopes: 'No scopes were requested.',
  user_not_found: 'There is no such member.',
};

/** The page for an invalid request, without a redirect. @param error a key of `problems` */
function errorPage(error: string): HttpAnswer {
  const title = 'Something went wrong';
  const body = `<h1>${title} when authorizing this app</h1><p>${problems[error]}</p><p>Error: <code>${error}</code></p>`;
  return page(400, { title, body, formTarget: '' });
}

type PageParts = { readonly title: string; readonly body: string; readonly formTarget: string };

/** HTML without scripts, whose form may lead only to this server and to the app's redirect URL. */
function page(status: number, { title, body, formTarget }: PageParts): HttpAnswer {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy(`form-action 'self' ${formTarget}`),
    // With `no-referrer`, browsers send `Origin: null` with a form.
    'referrer-policy': 'same-origin',
  };
  const document = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeMarkup(title)}</title>
    <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/assets/style/theme.css">
    <link rel="stylesheet" href="/assets/style/control.css">
  </head>
  <body class="oauth"><main>${body}</main></body>
</html>
`;
  return { status, headers, body: document };
}
