/** Whose eyes and hands: what only one person sees differs from member to member. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageState, PageUser } from '../protocol.ts';
import { displayName, type Viewer } from '../viewer.ts';
import { Avatar } from './avatar.ts';
import { icon } from './icons.ts';

type SwitcherProps = {
  readonly state: PageState;
  readonly viewer: Viewer;
  readonly actAs: (userId: string) => void;
};

export function MemberSwitcher({ state, viewer, actAs }: SwitcherProps): VNode {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const leave = ({ target }: Event) => target instanceof Node && !root.current?.contains(target) && setOpen(false);
    document.addEventListener('pointerdown', leave);
    return () => document.removeEventListener('pointerdown', leave);
  }, []);
  const choose = (id: string) => {
    setOpen(false);
    actAs(id);
  };
  const people = state.users.filter(({ isBot }) => !isBot);
  const closeOnEscape = ({ key }: KeyboardEvent) => key === 'Escape' && setOpen(false);
  return html`<div ref=${root} class="switcher" onKeyDown=${closeOnEscape}>
    ${isOpen && html`<ul class="switcher-list" aria-label="Act as">${people.map((user) => html`<${Member} ...${{ user, viewer, choose }} />`)}</ul>`}
    <button type="button" class="switcher-button" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>
      <${Avatar} userId=${viewer.userId} viewer=${viewer} size="large" />
      <span class="switcher-words">
        <span class="switcher-caption">Acting as</span>
        <span class="switcher-name">${displayName(viewer, viewer.userId)}</span>
      </span>
      <span class="chevron" aria-hidden="true"></span>
    </button>
  </div>`;
}

type MemberProps = { readonly user: PageUser; readonly viewer: Viewer; readonly choose: (id: string) => void };

function Member({ user, viewer, choose }: MemberProps): VNode {
  const isMe = user.id === viewer.userId;
  return html`<li>
    <button type="button" class="switcher-member" aria-current=${isMe} onClick=${() => choose(user.id)}>
      <${Avatar} userId=${user.id} viewer=${viewer} size="small" />
      <span class="switcher-words">
        <span class="switcher-name">${displayName(viewer, user.id)}</span>
        <span class="switcher-caption">${user.isAdmin ? 'Workspace admin, ' : ''}${user.timeZone.replaceAll('_', ' ')}</span>
      </span>
      ${isMe && icon('check')}
    </button>
  </li>`;
}
