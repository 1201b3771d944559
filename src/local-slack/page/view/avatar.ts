/** Avatars: a coloured tile with initials, or the app's icon for the bot. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { usePage } from '../hooks/use-page.ts';
import { displayName } from '../model/viewer.ts';

type AvatarProps = { readonly userId: string; readonly size: 'large' | 'small' };

/** Hidden from screen readers: the name is next to it. Each person has the same colour everywhere. */
export function Avatar({ userId, size }: AvatarProps): VNode {
  const { viewer } = usePage();
  const hue = [...viewer.users.keys()].indexOf(userId);
  const isBot = viewer.users.get(userId)?.isBot;
  return html`<span class=${`avatar tile avatar-${size}${isBot === true ? ' avatar-bot' : ''}`} style=${{ '--hue': hue }} aria-hidden="true">
    ${isBot === false && initials(displayName(viewer, userId))}
  </span>`;
}

/** Leaves out the home of a visitor, which follows the name in brackets. */
function initials(name: string): string {
  const [first = '', ...others] = name.replace(/ \(.*$/, '').split(' ');
  return (first.charAt(0) + (others.at(-1) ?? '').charAt(0)).toUpperCase();
}
