/** A channel and a thread: header, messages and composer. */
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { post } from '../client.ts';
import { callable } from '../model/completion.ts';
import type { Row } from '../model/messages.ts';
import { channelRows, threadRows } from '../model/messages.ts';
import type { Model } from '../model/model.ts';
import { channelTitle, displayName, type Viewer } from '../model/viewer.ts';
import type { PageChannel, PageMessage, PageState } from '../protocol.ts';
import { Composer } from './composer.ts';
import { icon } from './icons.ts';
import { type MessageActions, MessageView, replyCount } from './message-view.ts';

type Send = (text: string) => void;
type ChannelProps = ConversationProps & {
  readonly channel: PageChannel;
  /** True if other channels or direct messages have unread messages. */
  readonly hasUnread: boolean;
  readonly openDrawer: () => void;
  /** The app's tabs: Home and messages. */
  readonly tabs: VNode | null;
  /** Shown instead of the messages. */
  readonly home: VNode | null;
};

export function ChannelView(props: ChannelProps): VNode {
  const { channel, viewer, tabs, home } = props;
  const title = `${channel.kind === 'dm' ? '' : '#'}${channelTitle(channel, viewer)}`;
  return html`<section class="channel-view" aria-label=${title}>
    <${ChannelHeader} ...${props} />
    ${tabs}
    ${banner(props)}
    ${home ?? drawMessages(props, title)}
  </section>`;
}

function drawMessages(props: ChannelProps, title: string): ComponentChildren {
  const { channel, viewer, state, messages, actions, sentCount, waiting } = props;
  const send = (text: string) => props.send(text, null);
  const canTry = channel.memberIds.includes(viewer.userId) && hasBot(channel, state) && hasCommands(viewer);
  const rows = channelRows(messages, viewer);
  return html`<${MessageList}
      key=${`${viewer.userId} ${channel.id}`}
      label=${`Messages in ${title}`}
      rows=${rows}
      viewer=${viewer}
      actions=${actions}
      sentCount=${sentCount}
      isOpening=${props.stream === 'opening'}
      targetTs=${props.targetTs}
      intro=${html`<${Intro} channel=${channel} title=${title} state=${state} canTry=${canTry} start=${send} />`}
    />
    ${drawComposer(props, title, send)}
    <div class="waiting soft small" role="status">${waiting > 0 && html`<span class="spinner"></span> Waiting for ${state.app.name}…`}</div>`;
}

/** As in Slack, only members can write, and archived channels are read-only. */
function drawComposer({ channel, viewer, state }: ChannelProps, title: string, send: Send): VNode {
  if (channel.isArchived) {
    const back = () => void post('unarchive', { user: viewer.userId, channel: channel.id });
    return html`<div class="outsider">
      <b>${title}</b> is archived: nobody can write in it.
      <button type="button" class="button" onClick=${back}>Unarchive</button>
    </div>`;
  }
  if (!channel.memberIds.includes(viewer.userId)) {
    const name = displayName(viewer, viewer.userId);
    return html`<div class="outsider">${name} is not a member of <b>${title}</b> and can only look.</div>`;
  }
  return html`<${Composer}
      key=${`${viewer.userId} ${channel.id}`}
      placeholder=${`Message ${title}`}
      bot=${callable(state, { isDirect: channel.kind === 'dm', hasCommands: hasCommands(viewer), hasBot: hasBot(channel, state) })}
      send=${send}
    />`;
}

function ChannelHeader({ channel, viewer, hasUnread, openDrawer }: ChannelProps): VNode {
  const sign = channel.kind === 'private' ? icon('lock') : html`<span class="soft" aria-hidden="true">#</span>`;
  return html`<header class="channel-header">
    <button type="button" class="tool drawer-button" aria-label=${hasUnread ? 'Channels, unread messages' : 'Channels'} onClick=${openDrawer}>
      ${icon('menu')}${hasUnread && html`<span class="unread"></span>`}
    </button>
    <h1 class="channel-title ellipsis">${channel.kind !== 'dm' && sign}${channelTitle(channel, viewer)}</h1>
    ${channel.kind !== 'dm' && html`<span class="soft small" title="Members">${icon('people')} ${channel.memberIds.length}</span>`}
    ${channel.isShared && html`<span class="soft small">Shared with another company</span>`}
  </header>`;
}

function banner({ state, stream }: ChannelProps): ComponentChildren {
  if (stream === 'lost')
    return html`<div class="banner" role="alert">The local Slack does not answer. Trying again…</div>`;
  if (state.app.isConnected || !state.workspace.isInstalled) return null;
  return html`<div class="banner" role="alert">
    <b>${state.app.name}</b> is not connected: its commands and buttons will fail until it is back.
  </div>`;
}

type IntroProps = {
  readonly channel: PageChannel;
  readonly title: string;
  readonly state: PageState;
  /** True if the person and the bot are members. */
  readonly canTry: boolean;
  readonly start: Send;
};

/** Commands to try first. */
const firstTries = ['status', 'list', 'failures', 'help'];

/** The beginning of a channel, with commands to try. */
function Intro({ channel, title, state, canTry, start }: IntroProps): VNode {
  const tries = firstTries
    .flatMap((name) => state.commands.find((command) => command.name === name)?.examples.slice(0, 1) ?? [])
    .map((line) => (line.startsWith('/') ? line : `${state.app.slashCommand} ${line}`));
  return html`<div class="intro">
    <h2 class="intro-title">${title}</h2>
    <p>This is the very beginning of ${channel.kind === 'dm' ? 'your messages with' : ''} <b>${title}</b>.
      Nothing here leaves this machine.</p>
    ${
      canTry &&
      tries.length > 0 &&
      html`<p class="intro-tries">
      <span>Try:</span> ${tries.map((line) => html`<button type="button" class="button try" onClick=${() => start(line)}>${line}</button>`)}
    </p>`
    }
  </div>`;
}

type ThreadProps = ConversationProps & {
  readonly channel: PageChannel;
  readonly threadTs: string;
  readonly close: () => void;
};

export function ThreadPane(props: ThreadProps): VNode {
  const { channel, threadTs, viewer, messages, actions, sentCount, close } = props;
  const rows = threadRows(messages, threadTs, viewer);
  const replies = rows.filter(({ message }) => message.ts !== threadTs && !message.isEphemeral).length;
  const { openThread: _, ...inside } = actions;
  const title = `${channel.kind === 'dm' ? '' : '#'}${channelTitle(channel, viewer)}`;
  const count = replies > 0 && html`<div class="thread-count soft small"><span>${replyCount(replies)}</span></div>`;
  const closeOnEscape = ({ key, defaultPrevented }: KeyboardEvent) => key === 'Escape' && !defaultPrevented && close();
  const composer = html`<${Composer}
    key=${threadTs}
    placeholder="Reply…"
    bot=${callable(props.state, { isDirect: channel.kind === 'dm', hasCommands: false, hasBot: hasBot(channel, props.state) })}
    send=${(text: string) => props.send(text, threadTs)}
  />`;
  return html`<aside class="thread-pane" aria-label="Thread" onKeyDown=${closeOnEscape}>
    <header class="channel-header">
      <h2 class="channel-title">Thread <span class="soft small ellipsis">${title}</span></h2>
      <button type="button" class="tool" aria-label="Close thread" onClick=${close}>${icon('close')}</button>
    </header>
    <${MessageList}
      key=${threadTs}
      label="Messages in the thread"
      rows=${rows}
      viewer=${viewer}
      actions=${inside}
      sentCount=${sentCount}
      isOpening=${props.stream === 'opening'}
      targetTs=${props.targetTs}
      afterFirst=${count}
    />
    ${channel.memberIds.includes(viewer.userId) && !channel.isArchived && composer}
  </aside>`;
}

export type ConversationProps = {
  readonly state: PageState;
  readonly viewer: Viewer;
  /** All messages of the channel. */
  readonly messages: readonly PageMessage[];
  readonly actions: MessageActions;
  /** The number of sent texts. */
  readonly sentCount: number;
  readonly send: (text: string, threadTs: string | null) => void;
  /** The number of commands without a reply. */
  readonly waiting: number;
  /** The `ts` of the message to scroll to. */
  readonly targetTs: string | null;
  readonly stream: Model['stream'];
};

/** In Slack Connect, people of another company have no commands of the app. */
function hasCommands({ users, userId }: Viewer): boolean {
  return users.get(userId)?.isExternal !== true;
}

/** Returns true if the bot is a member. */
function hasBot({ memberIds }: PageChannel, { app }: PageState): boolean {
  return memberIds.includes(app.botUserId);
}

type ListProps = {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly viewer: Viewer;
  readonly actions: MessageActions;
  /** Increases with everything that the person sends; the list then scrolls to the newest message. */
  readonly sentCount: number;
  /** `ts` of the message to scroll to, if it is in the list. */
  readonly targetTs: string | null;
  /** True if the event stream is not open yet. */
  readonly isOpening: boolean;
  readonly intro?: ComponentChildren;
  /** Drawn after the first message: a thread's count of replies. */
  readonly afterFirst?: ComponentChildren;
};

/** The list is a reversed column, which the browser keeps scrolled to its end. */
function MessageList(props: ListProps): VNode {
  const { label, rows, viewer, actions, sentCount, targetTs, isOpening, intro, afterFirst } = props;
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => list.current?.scrollTo(0, 0), [sentCount]);
  const hasTarget = rows.some(({ message }) => message.ts === targetTs);
  useLayoutEffect(
    () => list.current?.querySelector('.is-target')?.scrollIntoView({ block: 'center' }),
    [hasTarget, targetTs],
  );
  return html`<div ref=${list} class="message-list" tabindex="0" role="log" aria-busy=${isOpening} aria-live="polite" aria-label=${label}>
    <div>
      ${intro}
      ${rows.map(
        (row, at) => html`<div key=${row.message.ts} class="message-row">
        ${row.day && html`<div class="day" role="separator"><span>${row.day}</span></div>`}
        <${MessageView} row=${row} isTarget=${row.message.ts === targetTs} viewer=${viewer} actions=${actions} />
        ${at === 0 && afterFirst}
      </div>`,
      )}
    </div>
  </div>`;
}
