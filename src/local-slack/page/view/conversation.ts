/** A channel, a thread and the app's Home: header, messages and composer, or blocks. */
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { BlockView } from '../blocks/block.ts';
import { usePage } from '../hooks/use-page.ts';
import { useViewForm } from '../hooks/use-view-form.ts';
import { channelRows, type Row, threadRows } from '../model/messages.ts';
import { channelTitle, displayName, hasHome, type Viewer } from '../model/viewer.ts';
import type { AppTab, PageChannel, PageView } from '../protocol.ts';
import { Composer } from './composer.ts';
import { MessageView } from './message-view.ts';

type ChannelProps = { readonly channel: PageChannel };

export function ChannelView({ channel }: ChannelProps): VNode {
  const { model, state, viewer } = usePage();
  const isApp = hasHome(channel, state);
  return html`<section class="channel-view" aria-label=${signedTitle(channel, viewer)}>
    <${ChannelHeader} channel=${channel} />
    ${isApp && html`<${AppTabs} isUnread=${model.unread.has(channel.id)} />`}
    <${Banner} />
    ${isApp && model.tab === 'home' ? html`<${HomeView} />` : html`<${ChannelMessages} channel=${channel} />`}
  </section>`;
}

function signedTitle(channel: PageChannel, viewer: Viewer): string {
  return `${channel.kind === 'dm' ? '' : '#'}${channelTitle(channel, viewer)}`;
}

function ChannelMessages({ channel }: ChannelProps): VNode {
  const { model, state, viewer, waiting } = usePage();
  const title = signedTitle(channel, viewer);
  const place = `${viewer.userId} ${channel.id}`;
  return html`
    <${MessageList}
      key=${place}
      label=${`Messages in ${title}`}
      rows=${channelRows(model.messages.get(channel.id) ?? [], viewer)}
      isThread=${false}
      intro=${html`<${Intro} channel=${channel} title=${title} />`}
    />
    <${ChannelComposer} key=${`composer ${place}`} channel=${channel} title=${title} />
    <div class="composer-area soft small" role="status">${waiting > 0 && html`<span class="spinner"></span> Waiting for ${state.app.name}…`}</div>`;
}

type TitledProps = ChannelProps & { readonly title: string };

/** As in Slack, only members can write, and archived channels are read-only. */
function ChannelComposer({ channel, title }: TitledProps): VNode {
  const { viewer, send } = usePage();
  if (channel.isArchived) {
    return html`<div class="composer-area soft"><b>${title}</b> is archived: nobody can write in it.</div>`;
  }
  if (!channel.memberIds.includes(viewer.userId)) {
    const name = displayName(viewer, viewer.userId);
    return html`<div class="composer-area soft">${name} is not a member of <b>${title}</b> and can only look.</div>`;
  }
  return html`<${Composer} placeholder=${`Message ${title}`} send=${(text: string) => send(text, null)} />`;
}

function ChannelHeader({ channel }: ChannelProps): VNode {
  const { model, viewer } = usePage();
  const hasUnread = model.unread.size > 0;
  return html`<header class="channel-header row">
    <button type="button" class="tool tile drawer-button" aria-label=${hasUnread ? 'Channels, unread messages' : 'Channels'} popovertarget="sidebar">
      ☰${hasUnread && html`<span class="unread"></span>`}
    </button>
    <h1 class="row grow ellipsis">${channel.kind !== 'dm' && html`<span class="soft" aria-hidden="true">${channel.kind === 'private' ? '🔒' : '#'}</span>`}${channelTitle(channel, viewer)}</h1>
    ${channel.kind !== 'dm' && html`<span class="soft small">${channel.memberIds.length} members</span>`}
    ${channel.isShared && html`<span class="soft small">Shared with another company</span>`}
  </header>`;
}

/** The refusal of the person's last act, and lost connections. */
function Banner(): VNode {
  const { model, state } = usePage();
  const isAppLost = !state.app.isConnected && state.workspace.isInstalled;
  return html`<div class="banner" role="alert">
    ${model.problem !== null && html`<div>${model.problem}</div>`}
    ${model.stream === 'lost' && html`<div>The local Slack does not answer. Trying again…</div>`}
    ${model.stream !== 'lost' && isAppLost && html`<div><b>${state.app.name}</b> is not connected: its commands and buttons will fail until it is back.</div>`}
  </div>`;
}

/** Commands to try first. */
const firstTries = ['status', 'list', 'failures', 'help'];

/** The beginning of a channel, with commands to try for a member of a channel with the bot. */
function Intro({ channel, title }: TitledProps): VNode {
  const { state, viewer, send } = usePage();
  // In Slack Connect, people of another company have no commands of the app.
  const hasCommands = viewer.users.get(viewer.userId)?.isExternal === false;
  const canTry = hasCommands && [viewer.userId, state.app.botUserId].every((id) => channel.memberIds.includes(id));
  const tries = firstTries
    .flatMap((name) => state.commands.find((command) => command.name === name)?.examples.slice(0, 1) ?? [])
    .map((line) => (line.startsWith('/') ? line : `${state.app.slashCommand} ${line}`));
  return html`<div class="intro">
    <h2>${title}</h2>
    <p>This is the very beginning of ${channel.kind === 'dm' ? 'your messages with' : ''} <b>${title}</b>.
      Nothing here leaves this machine.</p>
    ${
      canTry &&
      tries.length > 0 &&
      html`<p class="row wrap">
      <span>Try:</span> ${tries.map((line) => html`<button type="button" class="button" onClick=${() => send(line, null)}>${line}</button>`)}
    </p>`
    }
  </div>`;
}

export function ThreadPane({ channel, threadTs }: ChannelProps & { readonly threadTs: string }): VNode {
  const { model, viewer, send, dispatch } = usePage();
  const rows = threadRows(model.messages.get(channel.id) ?? [], threadTs, viewer);
  const close = () => dispatch({ type: 'open thread', ts: null });
  const closeOnEscape = ({ key, defaultPrevented }: KeyboardEvent) => key === 'Escape' && !defaultPrevented && close();
  const composer = html`<${Composer} key=${threadTs} placeholder="Reply…" send=${(text: string) => send(text, threadTs)} />`;
  return html`<aside class="thread-pane" aria-label="Thread" onKeyDown=${closeOnEscape}>
    <header class="channel-header row">
      <h2 class="row grow">Thread <span class="soft small ellipsis">${signedTitle(channel, viewer)}</span></h2>
      <button type="button" class="tool tile" aria-label="Close thread" onClick=${close}>×</button>
    </header>
    <${MessageList} key=${threadTs} label="Messages in the thread" rows=${rows} isThread=${true} />
    ${channel.memberIds.includes(viewer.userId) && !channel.isArchived && composer}
  </aside>`;
}

type ListProps = {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly isThread: boolean;
  readonly intro?: ComponentChildren;
};

/** The list is a reversed column, which the browser keeps scrolled to its end; it scrolls there after each sent text. */
function MessageList({ label, rows, isThread, intro }: ListProps): VNode {
  const { model, sentCount } = usePage();
  const { targetTs } = model;
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => list.current?.scrollTo(0, 0), [sentCount]);
  const hasTarget = rows.some(({ message }) => message.ts === targetTs);
  useLayoutEffect(
    () => list.current?.querySelector('.is-target')?.scrollIntoView({ block: 'center' }),
    [hasTarget, targetTs],
  );
  return html`<div ref=${list} class="message-list" tabindex="0" role="log" aria-busy=${model.stream === 'opening'} aria-live="polite" aria-label=${label}>
    <div>
      ${intro}
      ${rows.map(
        (row) => html`<div key=${row.message.ts} class="message-row">
        ${row.day && html`<div class="day" role="separator"><span>${row.day}</span></div>`}
        <${MessageView} row=${row} isThread=${isThread} />
      </div>`,
      )}
    </div>
  </div>`;
}

function HomeView(): VNode {
  const { model, state } = usePage();
  const { home } = model;
  if (!home)
    return html`<div class="home"><p class="soft" role="status">${state.app.name} has put nothing here yet.</p></div>`;
  return html`<${FilledHome} key=${home.id} view=${home} />`;
}

function FilledHome({ view }: { readonly view: PageView }): VNode {
  const { scope, problem } = useViewForm(view);
  return html`<div class="home" tabindex="0" role="region" aria-label="Home">
    ${problem !== null && html`<div class="banner" role="alert">${problem}</div>`}
    <div class="view-blocks column">
      ${view.blocks.map((block) => html`<${BlockView} key=${block.block_id} block=${block} scope=${scope} />`)}
    </div>
  </div>`;
}

const tabs: readonly (readonly [AppTab, string])[] = [
  ['home', 'Home'],
  ['messages', 'Messages'],
];

function AppTabs({ isUnread }: { readonly isUnread: boolean }): VNode {
  const { model, dispatch } = usePage();
  return html`<nav class="tabs row" aria-label="App">
    ${tabs.map(
      ([tab, name]) => html`<button
        type="button"
        class=${`tab row${tab === model.tab ? ' is-open' : ''}`}
        aria-current=${tab === model.tab ? 'page' : undefined}
        onClick=${() => dispatch({ type: 'open tab', tab })}
      >
        ${name}${tab === 'messages' && isUnread && html`<span class="unread" role="img" aria-label="unread messages"></span>`}
      </button>`,
    )}
  </nav>`;
}
