/** Whose eyes and hands: what only one person sees differs from member to member. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { displayName, type Viewer } from '../model/viewer.ts';
import type { PageState, PageUser } from '../protocol.ts';
import { Avatar } from './avatar.ts';
import { icon } from './icons.ts';
import { Switcher } from './switcher.ts';

type SwitcherProps = {
  readonly state: PageState;
  readonly viewer: Viewer;
  readonly actAs: (userId: string) => void;
};

export function MemberSwitcher({ state, viewer, actAs }: SwitcherProps): VNode {
  const people = state.users.filter(({ isBot }) => !isBot);
  const items = (close: () => void) => {
    const choose = (id: string) => {
      close();
      actAs(id);
    };
    return people.map((user) => html`<${Member} ...${{ user, viewer, choose }} />`);
  };
  const button = html`<${Avatar} userId=${viewer.userId} viewer=${viewer} size="large" />
    <span class="switcher-words">
      <span class="switcher-caption">Acting as</span>
      <span class="switcher-name">${displayName(viewer, viewer.userId)}</span>
    </span>`;
  return html`<${Switcher} className="switcher-up" label="Act as" button=${button} items=${items} />`;
}

type MemberProps = { readonly user: PageUser; readonly viewer: Viewer; readonly choose: (id: string) => void };

function Member({ user, viewer, choose }: MemberProps): VNode {
  const isMe = user.id === viewer.userId;
  return html`<li>
    <button type="button" class="switcher-member" aria-current=${isMe} onClick=${() => choose(user.id)}>
      <${Avatar} userId=${user.id} viewer=${viewer} size="small" />
      <span class="switcher-words">
        <span class="switcher-name">${displayName(viewer, user.id)}</span>
        <span class="switcher-caption">${roleWords(user)}${user.timeZone.replaceAll('_', ' ')}</span>
      </span>
      ${isMe && icon('check')}
    </button>
  </li>`;
}

function roleWords({ isAdmin, guest }: PageUser): string {
  if (guest !== null) return 'Guest, ';
  return isAdmin ? 'Workspace admin, ' : '';
}
