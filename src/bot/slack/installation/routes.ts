/** Routes for installing the bot in a browser: the page, the redirect to Slack, and the redirect back. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../../shared/errors.ts';
import { writePage } from '../../../shared/http/exchange.ts';
import type { Route } from '../../../shared/http/routes.ts';
import type { Runtime } from '../../domain/runtime.ts';
import { describe } from '../outbound/web-api/errors.ts';
import { type Grant, type Oauth, StateSigner, stateLifetimeMs } from './oauth.ts';
import {
  cancelledPage,
  failedPage,
  installedPage,
  installPage,
  installPath,
  notBegunPage,
  type Page,
  pageHeaders,
  pageHtml,
  redirectPath,
} from './pages.ts';
import type { InstallSettings, SlackCalls } from './services.ts';

const beginPath = `${installPath}/begin`;

type RouteServices = {
  readonly calls: SlackCalls;
  readonly settings: InstallSettings;
  readonly oauth: Oauth;
  /** Stores the installation. @returns true if the workspace is connected already @throws AppError */
  readonly install: (grant: Grant) => Promise<boolean>;
};

/**
 * A state belongs to one attempt. It is made when the button is pressed and bound to the browser, so that a stolen link
 * cannot complete an installation. Nothing is stored before Slack has accepted a code.
 */
export function installRoutes({ calls, settings, oauth, install }: RouteServices): Readonly<Record<string, Route>> {
  const { runtime, slashCommand, web } = calls;
  const { publicUrl, clientSecret, store } = settings;
  const stateSigner = new StateSigner(clientSecret, runtime.clock);
  const cookie = createBrowserCookie(publicUrl);
  return {
    [`GET ${installPath}`]: (_request, response) => show(response, 200, installPage(slashCommand, beginPath, settings)),
    [`GET ${beginPath}`]: guarded(runtime, (request, response) => {
      const browser = cookie.read(request) ?? randomBytes(32).toString('base64url');
      const location = oauth.authorizeUrl(stateSigner.sign(browser));
      const headers = { ...pageHeaders, location, 'set-cookie': cookie.write(browser) };
      writePage(response, 302, '', headers);
    }),
    [`GET ${redirectPath}`]: guarded(runtime, async (request, response) => {
      const { searchParams: query } = new URL(request.url ?? '', publicUrl);
      if (query.get('error') === 'access_denied') return show(response, 200, cancelledPage);
      const [state, browser] = [query.get('state') ?? '', cookie.read(request) ?? ''];
      if (!stateSigner.isValid(state, browser) || (await store.oauthStates.isUsed(state)))
        return show(response, 400, notBegunPage);
      const code = query.get('code');
      if (code === null) return show(response, 400, failedPage('Slack did not allow the installation.'));
      const grant = await oauth.exchange(code);
      if (!(await store.oauthStates.use(state, browser, 2 * stateLifetimeMs))) return show(response, 400, notBegunPage);
      const isConnected = await install(grant);
      const urls = { openUrl: openUrl(web.slackApiUrl, grant), addUrl: addUrl(grant) };
      show(response, 200, installedPage({ teamName: grant.teamName, slashCommand, isConnected, ...urls }));
    }),
  };
}

function show(response: ServerResponse, status: 200 | 400 | 503, page: Page): void {
  writePage(response, status, pageHtml(page), pageHeaders);
}

/** Shows a page for every error and logs it, without the URL and without Slack's answer. */
function guarded({ log }: Runtime, route: Route): Route {
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
