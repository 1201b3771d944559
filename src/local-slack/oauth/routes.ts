/** `/oauth/v2/authorize` over HTTP: shows the consent page and redirects with the answer. */

import type { IncomingMessage } from 'node:http';
import { findActor } from '../interactions/invoke.ts';
import { type HttpAnswer, readBody, refuseOtherSites, textAnswer } from '../server/http.ts';
import type { LocalSlack } from '../server/local-slack.ts';
import { authorizeError, authorizePage } from './authorize-page.ts';
import type { AuthorizeError, AuthorizeRequest } from './oauth.ts';

const bodyBytesMax = 16_384;

/** @param url of the request, whose query contains the app's parameters */
export async function serveAuthorize(request: IncomingMessage, url: URL, slack: LocalSlack): Promise<HttpAnswer> {
  if (request.method === 'GET') return question(url.searchParams, slack);
  if (request.method !== 'POST') return textAnswer(403, 'forbidden_origin');
  refuseOtherSites(request);
  const form = new URLSearchParams((await readBody(request, bodyBytesMax)).toString('utf8'));
  const [user = '', organization] = (form.get('user') ?? '').split(':');
  const isAllowed = form.get('answer') === 'allow';
  const answered = answer(form, { user, isAllowed, ...(organization !== undefined && { organization }) }, slack);
  if ('error' in answered) return errorAnswer(answered.error);
  return { status: 302, headers: { location: answered.location }, body: '' };
}

function question(query: URLSearchParams, { oauth, workspaces, app }: LocalSlack): HttpAnswer {
  const requested = oauth.read(query);
  if (typeof requested === 'string') return errorAnswer(requested);
  const body = authorizePage({ appName: app.name, requested, query, workspaces });
  return htmlAnswer(200, body, requested);
}

export type Answered = { readonly location: string } | { readonly error: AuthorizeError | 'user_not_found' };

export type ConsentAnswer = {
  readonly user: string;
  readonly isAllowed: boolean;
  /** Id of the organization that the person installs the app in as a whole; only its admins can. */
  readonly organization?: string;
};

/** @param query of the authorization request @returns the redirect */
export function answer(
  query: URLSearchParams,
  { user, isAllowed, organization: organizationId }: ConsentAnswer,
  { oauth, workspaces }: LocalSlack,
): Answered {
  const requested = oauth.read(query);
  if (typeof requested === 'string') return { error: requested };
  if (!isAllowed) return { location: oauth.refuse(requested) };
  const actor = findActor(workspaces.all, user);
  const organization = workspaces.organizations.find(({ id }) => id === organizationId) ?? null;
  const mayInstall = organizationId === undefined || organization?.adminIds.has(user) === true;
  if (!actor || !mayInstall) return { error: 'user_not_found' };
  return { location: oauth.allow(requested, { workspace: actor.workspace, organization, userId: user }) };
}

function errorAnswer(error: AuthorizeError | 'user_not_found'): HttpAnswer {
  return htmlAnswer(400, authorizeError(error));
}

/** Runs no script; the form may lead only to this server and to the app's redirect URL. */
function htmlAnswer(status: number, body: string, requested?: AuthorizeRequest): HttpAnswer {
  const back = requested ? ` ${new URL(requested.redirectUri).origin}` : '';
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    `form-action 'self'${back}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    // With `no-referrer`, browsers send `Origin: null` with a form.
    'referrer-policy': 'same-origin',
  };
  return { status, headers, body };
}
