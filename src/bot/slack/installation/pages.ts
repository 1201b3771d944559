/** Pages that people see in a browser while they install the bot: plain, small, readable on a phone and by a screen reader. */
import { hash } from 'node:crypto';
import { escapeMarkup } from '../../../shared/escape-markup.ts';

export type Page = {
  readonly title: string;
  /** Plain text, not markup. Text between backticks is shown as code. */
  readonly paragraphs: readonly string[];
  /** Steps in order. */
  readonly steps?: readonly string[];
  readonly link?: PageLink;
  /** Small print below. */
  readonly moreLinks?: readonly PageLink[];
};

type PageLink = { readonly label: string; readonly url: string };

/** Pages of the company that runs the bot; undefined if there are none. */
export type OperatorPages = { readonly privacyUrl?: string | undefined; readonly supportUrl?: string | undefined };

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 34rem; padding: 2rem 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; }
li { margin: 0.5rem 0; }
code { white-space: nowrap; font-size: 0.9em; padding: 0.1em 0.3em; border-radius: 0.25rem; background: rgb(127 127 127 / 20%); }
a { display: inline-block; margin-top: 0.5rem; padding: 0.75rem 1.25rem; border-radius: 0.5rem; background: #1f2937; color: #fff;
  border: 1px solid #9ca3af; font-weight: 600; text-decoration: none; }
nav a { margin-right: 1rem; padding: 0; border: 0; background: none; color: LinkText; text-decoration: underline; }
a:focus-visible { outline: 3px solid #2563eb; outline-offset: 3px; }
`;

/**
 * Headers of every page. The page loads nothing and is not cached. Other sites cannot frame it or learn its address,
 * which may contain a code from Slack.
 */
export const pageHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
} as const;

export function pageHtml({ title, paragraphs, steps = [], link, moreLinks = [] }: Page): string {
  const parts = [
    `<h1>${escapeMarkup(title)}</h1>`,
    ...paragraphs.map((text) => `<p>${marked(text)}</p>`),
    ...(steps.length > 0 ? [`<ol>${steps.map((text) => `<li>${marked(text)}</li>`).join('')}</ol>`] : []),
    ...(link ? [`<p>${anchor(link)}</p>`] : []),
    ...(moreLinks.length > 0 ? [`<nav>${moreLinks.map(anchor).join('')}</nav>`] : []),
  ];
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(title)}</title><style>${style}</style></head>
<body><main>
${parts.join('\n')}
</main></body>
</html>
`;
}

function anchor({ label, url }: PageLink): string {
  return `<a href="${escapeMarkup(url)}">${escapeMarkup(label)}</a>`;
}

function marked(text: string): string {
  return escapeMarkup(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

export const installPath = '/slack/install';
export const redirectPath = '/slack/oauth_redirect';

const again = { label: 'Start again', url: installPath };

/** @param beginUrl the address that starts an installation */
export function installPage(
  slashCommand: string,
  beginUrl: string,
  { privacyUrl, supportUrl }: OperatorPages = {},
): Page {
  return {
    title: 'Add Workflow Bot to Slack',
    paragraphs: ['It shows your team how your hosted workflows are doing, and why they fail. It only reads.'],
    steps: [
      'Slack asks you to allow it; your workspace may require the approval of an admin.',
      `In Slack, \`${slashCommand} connect\` links the workspace to your organization, with an API key of its own.`,
      `Then members of the workspace can use the bot, as its settings allow: \`${slashCommand} status payments\`.`,
    ],
    link: { label: 'Add to Slack', url: beginUrl },
    moreLinks: [
      ...(privacyUrl === undefined ? [] : [{ label: 'Privacy policy', url: privacyUrl }]),
      ...(supportUrl === undefined ? [] : [{ label: 'Support', url: supportUrl }]),
    ],
  };
}

export type Installed = {
  readonly teamName: string;
  /** The page on which an organization adds the bot to its workspaces; undefined for a single workspace. */
  readonly addUrl: string | undefined;
  /** True if the workspace was connected before and still is. */
  readonly isConnected: boolean;
  readonly slashCommand: string;
  readonly openUrl: string;
};

export function installedPage({ teamName, addUrl, isConnected, slashCommand, openUrl }: Installed): Page {
  const title = `Workflow Bot is in ${teamName === '' ? 'your workspace' : teamName}`;
  if (addUrl !== undefined) return organizationPage(title, slashCommand, addUrl);
  const link = { label: 'Open it in Slack', url: openUrl };
  if (isConnected)
    return { title, paragraphs: ['It was installed already: its key and settings are unchanged.'], link };
  return {
    title,
    paragraphs: ['The next step is to connect it. The bot also sends you this step in Slack.'],
    steps: [
      `In Slack, type \`${slashCommand} connect\` and enter an API key of your organization.`,
      `Then try: \`${slashCommand} list\` shows your workflows.`,
    ],
    link,
  };
}

/** https://docs.slack.dev/enterprise/developing-for-enterprise-orgs: after the first installation no workspace has the bot. */
function organizationPage(title: string, slashCommand: string, addUrl: string): Page {
  return {
    title,
    paragraphs: ['It works in each workspace to which you add it. Each gets its own key, settings and roles.'],
    steps: [
      'Add the bot to workspaces, now or later.',
      `In each of them, type \`${slashCommand} connect\` and enter an API key. You are its first admin in every workspace of which you are a member.`,
    ],
    link: { label: 'Add it to workspaces', url: addUrl },
  };
}

export const cancelledPage: Page = {
  title: 'The installation was cancelled',
  paragraphs: ['Nothing was installed or stored.'],
  link: again,
};

/** The page for a link that is used up, expired, or opened in another browser. */
export const notBegunPage: Page = {
  title: 'This link no longer works',
  paragraphs: [
    'An installation link works once, for ten minutes, in the browser in which you started.',
    'If the bot is already in your workspace, open Slack. Otherwise start again.',
  ],
  link: again,
};

/** @param reason a sentence that the bot wrote */
export function failedPage(reason: string): Page {
  return { title: 'The bot was not installed', paragraphs: [reason], link: again };
}
