/** Avatars: a coloured tile with initials, or a drawing for the bot and Slackbot. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { usePage } from '../hooks/use-page.ts';
import { displayName } from '../model/viewer.ts';
import { slackbotId } from '../protocol.ts';

type AvatarProps = { readonly userId: string; readonly size: 'large' | 'small' | 'tiny' };

/** Hidden from screen readers: the name is next to it. Each person has the same colour everywhere. */
export function Avatar({ userId, size }: AvatarProps): VNode {
  const { viewer } = usePage();
  const hue = [...viewer.users.keys()].indexOf(userId);
  const isBot = viewer.users.get(userId)?.isBot === true;
  const kind = userId === slackbotId ? 'avatar-slackbot' : isBot ? 'avatar-bot' : '';
  return html`<span class=${`avatar avatar-${size} ${kind}`} style=${{ '--hue': hue }} aria-hidden="true">
    ${isBot || userId === slackbotId ? drawing(userId === slackbotId) : initials(displayName(viewer, userId))}
  </span>`;
}

/** Leaves out the home of a visitor, which follows the name in brackets. */
function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '' && !word.startsWith('('));
  const chosen = words.length > 1 ? [words[0], words[words.length - 1]] : words;
  return chosen
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
}

/** Draws a workflow of three nodes, or a face for Slackbot. */
function drawing(isSlackbot: boolean): VNode {
  if (isSlackbot) {
    return html`<svg viewBox="0 0 36 36"><path d="M10 14.5h4M22 14.5h4M11 22c2 3.4 12 3.4 14 0" /></svg>`;
  }
  return html`<svg viewBox="0 0 36 36">
    <path d="M13 12h6a5 5 0 0 1 5 5v2M13 12H9.5M24 24.500h-8" />
    <circle cx="11" cy="12" r="3.300" /><circle cx="24" cy="18" r="3.300" /><circle cx="13" cy="24.500" r="3.300" />
  </svg>`;
}
