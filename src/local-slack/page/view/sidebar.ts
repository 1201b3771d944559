/** The sidebar: workspace, channels, direct messages, and the acting member. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { channelTitle, type Viewer } from '../model/viewer.ts';
import type { PageChannel, PageState } from '../protocol.ts';
import { Avatar } from './avatar.ts';
import { icon } from './icons.ts';
import { MemberSwitcher, WorkspaceSwitcher } from './switchers.ts';

type SidebarProps = {
  readonly state: PageState;
  readonly viewer: Viewer;
  readonly channelId: string;
  readonly unread: ReadonlySet<string>;
  readonly actAs: (userId: string) => void;
  readonly openWorkspace: (teamId: string) => void;
};

export function Sidebar({ state, viewer, channelId, unread, actAs, openWorkspace }: SidebarProps): VNode {
  // An archived channel is listed only while it is open.
  const channels = [...viewer.channels.values()].filter(({ id, isArchived }) => !isArchived || id === channelId);
  const direct = channels.filter(({ kind }) => kind === 'dm');
  const isApp = (channel: PageChannel) => channel.memberIds.includes(state.app.botUserId);
  const list = { viewer, channelId, unread };
  return html`<div class="sidebar-inner">
    <header><${WorkspaceSwitcher} state=${state} open=${openWorkspace} /></header>
    <nav class="channels" aria-label="Channels and direct messages">
      <${ChannelGroup} title="Channels" channels=${channels.filter(({ kind }) => kind !== 'dm')} ...${list} />
      <${ChannelGroup} title="Direct messages" channels=${direct.filter((channel) => !isApp(channel))} ...${list} />
      <${ChannelGroup} title="Apps" channels=${direct.filter(isApp)} ...${list} />
    </nav>
    <${MemberSwitcher} state=${state} viewer=${viewer} actAs=${actAs} />
  </div>`;
}

type GroupProps = Pick<SidebarProps, 'viewer' | 'channelId' | 'unread'> & {
  readonly title: string;
  readonly channels: readonly PageChannel[];
};

function ChannelGroup({ title, channels, viewer, channelId, unread }: GroupProps): VNode | null {
  if (channels.length === 0) return null;
  return html`<section>
    <h2 class="channels-title">${title}</h2>
    <ul>
      ${channels.map((channel) => {
        const isUnread = unread.has(channel.id);
        const isOpen = channel.id === channelId;
        return html`<li key=${channel.id}>
          <button
            type="button"
            class=${`channel${isOpen ? ' is-open' : ''}${isUnread ? ' is-unread' : ''}`}
            aria-current=${isOpen ? 'page' : undefined}
            onClick=${() => viewer.openChannel(channel.id)}
          >
            ${sign(channel, viewer)}
            <span class="channel-name ellipsis">${channelTitle(channel, viewer)}</span>
            ${isUnread && html`<span class="unread" role="img" aria-label="unread messages"></span>`}
          </button>
        </li>`;
      })}
    </ul>
  </section>`;
}

function sign(channel: PageChannel, viewer: Viewer): VNode {
  if (channel.kind === 'private') return html`<span class="channel-sign">${icon('lock')}</span>`;
  if (channel.kind === 'public') return html`<span class="channel-sign" aria-hidden="true">#</span>`;
  const other = channel.memberIds.find((id) => id !== viewer.userId) ?? viewer.userId;
  return html`<span class="channel-sign"><${Avatar} userId=${other} viewer=${viewer} size="tiny" /></span>`;
}
