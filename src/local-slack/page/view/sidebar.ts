/** The sidebar: channels, direct messages, and the menus that switch the workspace and the acting member. */
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { post } from '../client.ts';
import { Popup } from '../elements/popup.ts';
import { usePage } from '../hooks/use-page.ts';
import { channelTitle, displayName, type Viewer } from '../model/viewer.ts';
import type { PageChannel, PageUser } from '../protocol.ts';
import { safeUrl } from '../text/url.ts';
import { Avatar } from './avatar.ts';

export function Sidebar(): VNode {
  const { model, viewer } = usePage();
  // An archived channel is listed only while it is open.
  const channels = [...viewer.channels.values()].filter(({ id, isArchived }) => !isArchived || id === model.channelId);
  return html`<header><${WorkspaceSwitcher} /></header>
    <nav class="channels grow" aria-label="Channels and direct messages">
      <${ChannelGroup} title="Channels" channels=${channels.filter(({ kind }) => kind !== 'dm')} />
      <${ChannelGroup} title="Apps" channels=${channels.filter(({ kind }) => kind === 'dm')} />
    </nav>
    <${MemberSwitcher} />`;
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
            class=${`channel row${isOpen ? ' is-open' : ''}${isUnread ? ' is-unread' : ''}`}
            aria-current=${isOpen ? 'page' : undefined}
            onClick=${() => viewer.openChannel(channel.id)}
          >
            ${sign(channel, viewer)}
            <span class="grow ellipsis">${channelTitle(channel, viewer)}</span>
            ${isUnread && html`<span class="unread" role="img" aria-label="unread messages"></span>`}
          </button>
        </li>`;
      })}
    </ul>
  </section>`;
}

function sign(channel: PageChannel, viewer: Viewer): VNode {
  if (channel.kind === 'private') return html`<span class="channel-sign tile" aria-hidden="true">🔒</span>`;
  if (channel.kind === 'public') return html`<span class="channel-sign tile" aria-hidden="true">#</span>`;
  const other = channel.memberIds.find((id) => id !== viewer.userId) ?? viewer.userId;
  return html`<span class="channel-sign tile"><${Avatar} userId=${other} size="small" /></span>`;
}

function WorkspaceSwitcher(): VNode {
  const { state, dispatch } = usePage();
  const { workspace, workspaces, app } = state;
  const draw = (close: () => void) => [
    ...workspaces.map(({ id, name, isInstalled, isOnGrid }) => {
      const caption = `${isInstalled ? 'With' : 'Without'} ${app.name}${isOnGrid ? ', on Grid' : ''}`;
      const open = () => {
        close();
        dispatch({ type: 'open workspace', teamId: id });
      };
      return drawItem(drawTile(name), [name, caption], open, id === workspace.id);
    }),
    drawItem(drawSign('+'), ['Add a workspace'], () => void post('workspace', {})),
    drawItem(
      drawSign('+'),
      ['Add an organization', 'Enterprise Grid, two workspaces'],
      () => void post('organization', {}),
    ),
    html`<${AppItem} />`,
  ];
  const caption = workspace.isInstalled ? 'On this machine only' : `${app.name} is not installed`;
  return drawSwitcher('Workspaces', html`${drawTile(workspace.name)} ${twoLines(workspace.name, caption)}`, draw);
}

type Words = readonly [name: string, caption?: string];

/** Installs the app in the open workspace, or removes it after a confirmation. */
function AppItem(): VNode | null {
  const { workspace, app } = usePage().state;
  const [isSure, setSure] = useState(false);
  const team = workspace.id;
  if (workspace.isOffered) {
    const words: Words = [`Add ${app.name} here`, 'The organization has it'];
    return drawItem(drawSign('+'), words, () => void post('access', { team }));
  }
  if (!workspace.isInstalled) {
    const address = app.installUrl === null ? null : safeUrl(app.installUrl);
    if (address === null) return null;
    return html`<a class="switcher-member row" href=${address} target="_blank" rel="noopener noreferrer">
      ${drawSign('⚙')} ${twoLines(`Install ${app.name}`)}
    </a>`;
  }
  if (!isSure) return drawItem(drawSign('⚙'), [`Remove ${app.name}…`], () => setSure(true));
  const remove = () => {
    setSure(false);
    void post('uninstall', { team });
  };
  return drawItem(drawSign('⚙'), ['Really remove it?', `From ${workspace.name}`], remove);
}

function MemberSwitcher(): VNode {
  const { state, viewer, dispatch } = usePage();
  const draw = (close: () => void) =>
    state.users
      .filter(({ isBot }) => !isBot)
      .map((user) => {
        const caption = `${roleWords(user)}${user.timeZone.replaceAll('_', ' ')}`;
        const avatar = html`<${Avatar} userId=${user.id} size="small" />`;
        const actAs = () => {
          close();
          dispatch({ type: 'act as', userId: user.id });
        };
        return drawItem(avatar, [displayName(viewer, user.id), caption], actAs, user.id === viewer.userId);
      });
  const button = html`<${Avatar} userId=${viewer.userId} size="large" />
    ${twoLines(displayName(viewer, viewer.userId), 'Acting as')}`;
  return drawSwitcher('Act as', button, draw);
}

function roleWords({ isAdmin, guest, isExternal }: PageUser): string {
  if (isExternal) return 'Another company, ';
  if (guest !== null) return 'Guest, ';
  return isAdmin ? 'Workspace admin, ' : '';
}

function drawItem(sign: VNode, words: Words, choose: () => void, isOpen = false): VNode {
  return html`<button type="button" class="switcher-member row" aria-current=${isOpen} onClick=${choose}>
    ${sign} ${twoLines(...words)} ${isOpen && '✓'}
  </button>`;
}

/** The number at the end of a workspace's name, otherwise its first letter. */
function drawTile(name: string): VNode {
  const [letter = ''] = [...(/(?<!\d)\d+$/.exec(name)?.[0] ?? name)];
  return html`<span class="avatar tile" style=${{ '--hue': 6 }} aria-hidden="true">${letter}</span>`;
}

function drawSign(sign: string): VNode {
  return html`<span class="tile" aria-hidden="true">${sign}</span>`;
}

function twoLines(name: string, caption?: string): VNode {
  return html`<span class="switcher-words grow">
    <b class="ellipsis">${name}</b>
    ${caption !== undefined && html`<span class="switcher-caption ellipsis">${caption}</span>`}
  </span>`;
}

function drawSwitcher(name: string, button: VNode, draw: (close: () => void) => ComponentChildren): VNode {
  return html`<${Popup} name=${name} className="switcher-button row" draw=${draw}>
    ${button} <span class="chevron" aria-hidden="true"></span>
  <//>`;
}
