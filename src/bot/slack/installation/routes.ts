/** Routes for installing the bot in a browser: the page, the redirect to Slack, and the redirect back. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../../shared/errors.ts';
import { writePage } from '../../../shared/http/exchange.ts';
import type { Route } from '../../../shared/http/routes.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { OauthStates } from '../../store/repositories/oauth-states.ts';
import { describe } from '../outbound/web-api/errors.ts';
import { createStateSigner, type Grant, type Oauth, stateLifetimeMs } from './oauth.ts';
import {
  cancelledPage,
  failedPage,
  installedPage,
  installPage,
  installPath,
  notBegunPage,
  type OperatorPages,
  type Page,
  pageHeaders,
  pageHtml,
} from './pages.ts';

export const redirectPath = '/slack/oauth_redirect';
const beginPath = `${installPath}/begin`;

export type InstallRoutesDeps = OperatorPages & {
  readonly oauth: Oauth;
  readonly states: OauthStates;
  /** Stores the installation. @returns true if the workspace is connected already @throws AppError */
  readonly install: (grant: Grant) => Promise<boolean>;
  readonly clientSecret: string;
  /** Origin, without a path. */
  readonly publicUrl: string;
  /** Includes the leading slash. */
  readonly slashCommand: string;
  /** Address of the Web API; the redirect to the app has the same origin. */
  readonly slackApiUrl: string;
  readonly clock: Clock;
  readonly log: Logger;
};

/**
 * A state belongs to one attempt. It is made when the button is pressed and bound to the browser, so that a stolen link
 * cannot complete an installation. Nothing is stored before Slack has accepted a code.
 */
export function installRoutes(deps: InstallRoutesDeps): Readonly<Record<string, Route>> {
  const { oauth, states } = deps;
  const stateSigner = createStateSigner({ secret: deps.clientSecret, clock: deps.clock });
  const cookie = createBrowserCookie(deps.publicUrl);
  return {
    [`GET ${installPath}`]: (_request, response) =>
      show(response, 200, installPage(deps.slashCommand, beginPath, deps)),
    [`GET ${beginPath}`]: guarded(deps, (request, response) => {
      const browser = cookie.read(request) ?? randomBytes(32).toString('base64url');
      const location = oauth.authorizeUrl(stateSigner.sign(browser));
      const headers = { ...pageHeaders, location, 'set-cookie': cookie.write(browser) };
      writePage(response, 302, '', headers);
    }),
    [`GET ${redirectPath}`]: guarded(deps, async (request, response) => {
      const { searchParams: query } = new URL(request.url ?? '', deps.publicUrl);
      if (query.get('error') === 'access_denied') return show(response, 200, cancelledPage());
      const [state, browser] = [query.get('state') ?? '', cookie.read(request) ?? ''];
      if (!stateSigner.isValid(state, browser) || (await states.isUsed(state)))
        return show(response, 400, notBegunPage());
      const code = query.get('code');
      if (code === null) return show(response, 400, failedPage('Slack did not allow the installation.'));
      const grant = await oauth.exchange(code);
      if (!(await states.use(state, browser, 2 * stateLifetimeMs))) return show(response, 400, notBegunPage());
      const isConnected = await deps.install(grant);
      const urls = { openUrl: openUrl(deps.slackApiUrl, grant), addUrl: addUrl(grant) };
      const shown = { ...deps, ...grant, ...urls, isConnected };
      show(response, 200, installedPage(shown));
    }),
  };
}

function show(response: ServerResponse, status: 200 | 400 | 503, page: Page): void {
  writePage(response, status, pageHtml(page), pageHeaders);
}

/** Shows a page for every error and logs it, without the URL and without Slack's answer. */
function guarded({ log }: InstallRoutesDeps, route: Route): Route {
  return async (request, response) => {
    try {
      await route(request, response);
    } catch (thrown) {
      const isForbidden = thrown instanceof AppError && thrown.code === 'forbidden';
      log[isForbidden ? 'warn' : 'error']({ error: describe(thrown) }, 'bot could not be installed');
      const reason = isForbidden
        ? thrown.publicMessage
        : 'The bot could not reach a service that it needs. Try again in a minute.';
      show(response, isForbidden ? 400 : 503, failedPage(reason));
    }
  };
}

/** https://docs.slack.dev/interactivity/deep-linking: opens the app in the installed workspace. */
function openUrl(slackApiUrl: string, { appId, teamId }: Grant): string {
  return `${new URL('/app_redirect', slackApiUrl)}?${new URLSearchParams({ app: appId, team: teamId })}`;
}

/**
 * https://docs.slack.dev/enterprise/developing-for-enterprise-orgs
 * @returns Slack's page on which an organization adds the app to its workspaces; undefined for a single workspace
 */
function addUrl({ appId, teamId, installation }: Grant): string | undefined {
  if (!installation.isEnterpriseInstall) return undefined;
  const path = [teamId, 'integrations', 'profile', appId].map(encodeURIComponent).join('/');
  return `https://app.slack.com/manage/${path}/workspaces/add`;
}

const browserId = /^[\w-]{43}$/;

/** Identifies a browser for ten minutes. The prefix `__Host-` keeps other hosts from setting it. */
function createBrowserCookie(publicUrl: string) {
  const isSecure = publicUrl.startsWith('https:');
  const name = isSecure ? '__Host-install' : 'install';
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Lax', ...(isSecure ? ['Secure'] : [])].join('; ');
  return {
    /** The id of an earlier attempt, which may still complete. */
    read: ({ headers }: IncomingMessage) => {
      const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trimStart());
      return pairs
        .find((pair) => pair.startsWith(`${name}=`) && browserId.test(pair.slice(name.length + 1)))
        ?.slice(name.length + 1);
    },
    write: (value: string) => `${name}=${value}; Max-Age=${stateLifetimeMs / 1000}; ${attributes}`,
  };
}
