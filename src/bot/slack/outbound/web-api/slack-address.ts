/** Decides which of the addresses in Slack's payloads and answers the bot contacts. */
import { parseStrictUrl } from '../../../../shared/allowed-endpoint.ts';

export type SlackAddressKind = 'response' | 'upload' | 'socket';

/** Hosts of Slack's domain by purpose, with the allowed paths. */
const rules = {
  // Slash commands, buttons and menus, views, message shortcuts. Other paths include webhooks that post into any
  // workspace.
  response: { protocols: ['https:', 'http:'], host: /^hooks\.$/, path: /^\/(?:commands|actions|app|app-actions)\/./ },
  upload: { protocols: ['https:', 'http:'], host: /^files(?:-[a-z0-9-]+)?\.$/, path: /^\/upload\/./ },
  // Slack uses several names and may add others.
  socket: { protocols: ['wss:', 'ws:'], host: /^(?!xn--)[a-z0-9-]+\.$/, path: /^\// },
} as const satisfies Record<SlackAddressKind, unknown>;

const slackOrigin = 'https://slack.com';

/**
 * Accepts Slack's own hosts and the same hosts under another Slack's domain. For a server that replaces Slack, accepts
 * its own origin below the folder of its API. Scheme, host and port must match; the names of this machine are one host.
 * @param slackApiUrl ends with a slash
 * @returns undefined for every other address
 */
export function readSlackAddress(kind: SlackAddressKind, text: string, slackApiUrl: string): URL | undefined {
  const url = parseStrictUrl(text, rules[kind].protocols);
  if (url === undefined) return undefined;
  const api = new URL(slackApiUrl);
  const isSlacks = [slackOrigin, api.origin].some((origin) => isServedBy(kind, url, new URL(origin)));
  return isSlacks || isBesideApi(url, api) ? url : undefined;
}

function isServedBy(kind: SlackAddressKind, url: URL, { protocol, host }: URL): boolean {
  const subdomain = url.host.endsWith(`.${host}`) ? url.host.slice(0, -host.length) : '';
  const { host: hostRule, path: pathRule } = rules[kind];
  return httpProtocol(url) === protocol && hostRule.test(subdomain) && pathRule.test(url.pathname);
}

/** Names of this machine: a server may call itself by another one than the setting does. */
const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

function isSameHost(one: URL, other: URL): boolean {
  const areLoopback = [one, other].every(({ hostname }) => loopbackNames.has(hostname));
  return areLoopback ? one.port === other.port : one.host === other.host;
}

function isBesideApi(url: URL, api: URL): boolean {
  const isSameOrigin = httpProtocol(url) === api.protocol && isSameHost(url, api);
  return isSameOrigin && api.origin !== slackOrigin && url.pathname.startsWith(new URL('..', api).pathname);
}

/** A socket is opened by a request to the same origin, whose scheme is then `ws` instead of `http`. */
function httpProtocol({ protocol }: URL): string {
  return protocol.replace('ws', 'http');
}
