/** The sidebar: channels, direct messages, and the menus that switch the workspace and the acting member. */
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { post } from '../client.ts';
import { usePage } from '../hooks/use-page.ts';
import { channelTitle, displayName, type Viewer } from '../model/viewer.ts';
import type { PageChannel, PageSwitches, PageUser, PageWorkspace } from '../protocol.ts';
import { safeUrl } from '../text/url.ts';
import { Avatar } from './avatar.ts';
import { icon } from './icons.ts';

export function Sidebar(): VNode {
  const { model, state, viewer } = usePage();
  // An archived channel is listed only while it is open.
  const channels = [...viewer.channels.values()].filter(({ id, isArchived }) => !isArchived || id === model.channelId);
  const direct = channels.filter(({ kind }) => kind === 'dm');
  const isApp = (channel: PageChannel) => channel.memberIds.includes(state.app.botUserId);
  return html`<div class="sidebar-inner">
    <header><${WorkspaceSwitcher} /></header>
    <nav class="channels" aria-label="Channels and direct messages">
      <${ChannelGroup} title="Channels" channels=${channels.filter(({ kind }) => kind !== 'dm')} />
      <${ChannelGroup} title="Direct messages" channels=${direct.filter((channel) => !isApp(channel))} />
      <${ChannelGroup} title="Apps" channels=${direct.filter(isApp)} />
    </nav>
    <${MemberSwitcher} />
  </div>`;
}

type GroupProps = { readonly title: string; readonly channels: readonly PageChannel[] };

function ChannelGroup({ title, channels }: GroupProps): VNode | null {
  const { model, viewer } = usePage();
  if (channels.length === 0) return null;
  return html`<section>
    <h2 class="channels-title">${title}</h2>
    <ul>
      ${channels.map((channel) => {
        const isUnread = model.unread.has(channel.id);
        const isOpen = channel.id === model.channelId;
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
  return html`<span class="channel-sign"><${Avatar} userId=${other} size="tiny" /></span>`;
}

function WorkspaceSwitcher(): VNode {
  const { state, dispatch } = usePage();
  const { workspace, workspaces, app } = state;
  const items = (close: () => void) => html`${workspaces.map((each) => {
    const isOpen = each.id === workspace.id;
    const choose = () => {
      close();
      dispatch({ type: 'open workspace', teamId: each.id });
    };
    const caption = `${each.isInstalled ? 'With' : 'Without'} ${app.name}${each.isOnGrid ? ', on Grid' : ''}`;
    return html`<li key=${each.id}>
      <button type="button" class="switcher-member" aria-current=${isOpen} onClick=${choose}>
        ${drawTile(each)} ${twoLines(each.name, caption)} ${isOpen && icon('check')}
      </button>
    </li>`;
  })}
    <${AddItem} words="Add a workspace" add=${() => post('workspace', {})} />
    <${AddItem} words="Add an organization" caption="Enterprise Grid, two workspaces" add=${() => post('organization', {})} />
    ${switchWords.map((words) => html`<${SwitchItem} key=${words.name} ...${words} />`)}
    <${AppItem} />`;
  const caption = workspace.isInstalled ? 'On this machine only' : `${app.name} is not installed`;
  return html`<${Switcher} label="Workspaces" button=${html`${drawTile(workspace)} ${twoLines(workspace.name, caption)}`} items=${items} />`;
}

type SwitchWords = { readonly name: keyof PageSwitches; readonly words: string; readonly caption: string };

const switchWords: readonly SwitchWords[] = [
  { name: 'hasHistoryLimit', words: 'History limit', caption: '1 request a minute, 15 messages' },
  { name: 'refusesCharts', words: 'Refuse charts', caption: 'Messages with a chart are refused' },
];

/** Turns a limit of Slack on or off. */
function SwitchItem({ name, words, caption }: SwitchWords): VNode {
  const isOn = usePage().state.switches[name];
  const turn = () => void post('switch', { name, isOn: !isOn });
  return html`<li>
    <button type="button" class="switcher-member" role="switch" aria-checked=${isOn} onClick=${turn}>
      ${itemWords(isOn ? '✓' : '', `${words}: ${isOn ? 'on' : 'off'}`, caption)}
    </button>
  </li>`;
}

type AddItemProps = { readonly words: string; readonly caption?: string; readonly add: () => Promise<unknown> };

function AddItem({ words, caption, add }: AddItemProps): VNode {
  return html`<li>
    <button type="button" class="switcher-member" onClick=${() => void add()}>${itemWords('+', words, caption)}</button>
  </li>`;
}

/** Installs the app in the open workspace, or removes it after a confirmation. */
function AppItem(): VNode | null {
  const { workspace, app } = usePage().state;
  const [isSure, setSure] = useState(false);
  if (workspace.isOffered) {
    const add = () => post('access', { team: workspace.id });
    return html`<${AddItem} words=${`Add ${app.name} here`} caption="The organization has it" add=${add} />`;
  }
  if (!workspace.isInstalled) {
    if (app.installUrl === null) return null;
    const address = safeUrl(app.installUrl) ?? undefined;
    return html`<li>
      <a class="switcher-member" href=${address} target="_blank" rel="noopener noreferrer">${itemWords('⚙', `Install ${app.name}`)}</a>
    </li>`;
  }
  const remove = () => {
    setSure(!isSure);
    if (isSure) void post('uninstall', { team: workspace.id });
  };
  const words = isSure
    ? itemWords('⚙', 'Really remove it?', `From ${workspace.name}`)
    : itemWords('⚙', `Remove ${app.name}…`);
  return html`<li><button type="button" class="switcher-member" onClick=${remove}>${words}</button></li>`;
}

function itemWords(sign: string, words: string, caption?: string): VNode {
  return html`<span class="workspace-tile workspace-add" aria-hidden="true">${sign}</span> ${twoLines(words, caption)}`;
}

function twoLines(name: string, caption?: string): VNode {
  return html`<span class="switcher-words">
    <span class="switcher-name ellipsis">${name}</span>
    ${caption !== undefined && html`<span class="switcher-caption ellipsis">${caption}</span>`}
  </span>`;
}

/** Draws the number at the end of the name, otherwise its first letter. */
function drawTile({ name }: PageWorkspace): VNode {
  const [letter = ''] = [...(/(?<!\d)\d+$/.exec(name)?.[0] ?? name)];
  return html`<span class="workspace-tile" aria-hidden="true">${letter}</span>`;
}

function MemberSwitcher(): VNode {
  const { state, viewer, dispatch } = usePage();
  const items = (close: () => void) =>
    state.users.map((user) => {
      if (user.isBot) return null;
      const isMe = user.id === viewer.userId;
      const choose = () => {
        close();
        dispatch({ type: 'act as', userId: user.id });
      };
      const caption = `${roleWords(user)}${user.timeZone.replaceAll('_', ' ')}`;
      return html`<li>
        <button type="button" class="switcher-member" aria-current=${isMe} onClick=${choose}>
          <${Avatar} userId=${user.id} size="small" /> ${twoLines(displayName(viewer, user.id), caption)} ${isMe && icon('check')}
        </button>
      </li>`;
    });
  const button = html`<${Avatar} userId=${viewer.userId} size="large" />
    <span class="switcher-words">
      <span class="switcher-caption ellipsis">Acting as</span>
      <span class="switcher-name ellipsis">${displayName(viewer, viewer.userId)}</span>
    </span>`;
  return html`<${Switcher} label="Act as" button=${button} items=${items} />`;
}

function roleWords({ isAdmin, guest, isExternal }: PageUser): string {
  if (isExternal) return 'Another company, ';
  if (guest !== null) return 'Guest, ';
  return isAdmin ? 'Workspace admin, ' : '';
}

type SwitcherProps = {
  /** Name of the list. */
  readonly label: string;
  /** Content of the button. */
  readonly button: ComponentChildren;
  /** Draws the list's items. @param close to be called after a choice */
  readonly items: (close: () => void) => ComponentChildren;
};

/** The browser closes the list on Escape and on a click elsewhere. */
function Switcher({ label, button, items }: SwitcherProps): VNode {
  const list = useRef<HTMLUListElement>(null);
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return html`<div class="switcher">
    <button type="button" class="switcher-button" popovertarget=${id} aria-expanded=${isOpen}>
      ${button}
      <span class="chevron" aria-hidden="true"></span>
    </button>
    <ul ref=${list} id=${id} class="popup switcher-list" popover="auto" aria-label=${label} onToggle=${({ newState }: ToggleEvent) => setOpen(newState === 'open')}>
      ${isOpen && items(() => list.current?.hidePopover())}
    </ul>
  </div>`;
}
