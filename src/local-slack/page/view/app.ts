/** The whole page: sidebar, conversation, thread and modals. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { BlockView } from '../blocks/block.ts';
import { type Session, useSession } from '../hooks/use-session.ts';
import { useViewForm } from '../hooks/use-view-form.ts';
import { channelTitle, hasHome, type Viewer, visibleChannels } from '../model/viewer.ts';
import type { AppTab, PageState, PageUser, PageView } from '../protocol.ts';
import { ChannelView, type ConversationProps, ThreadPane } from './conversation.ts';
import type { MessageActions } from './message-view.ts';
import { ModalStack } from './modal-stack.ts';
import { Sidebar } from './sidebar.ts';

export function App(): VNode {
  const session = useSession();
  const { state } = session.model;
  if (!state)
    return html`<div class="loading" role="status"><span class="spinner"></span> Loading the local Slack…</div>`;
  return html`<${Frame} session=${session} state=${state} />`;
}

function Frame({ session, state }: { readonly session: Session; readonly state: PageState }): VNode {
  const { model, dispatch } = session;
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const viewer = useViewer(state, model.userId, {
    openChannel: (channel) => {
      setDrawerOpen(false);
      dispatch({ type: 'open channel', channel });
    },
    openMessage: (message) => dispatch({ type: 'open message', message }),
  });
  const navigation = {
    actAs: (userId: string) => dispatch({ type: 'act as', userId }),
    openWorkspace: (teamId: string) => dispatch({ type: 'open workspace', teamId }),
  };
  const closeDrawer = () => setDrawerOpen(false);
  const closeOnEscape = ({ key }: KeyboardEvent) => key === 'Escape' && closeDrawer();
  return html`<div class=${`frame${isDrawerOpen ? ' has-drawer' : ''}`} onKeyDown=${closeOnEscape}>
    <div class="sidebar">
      <${Sidebar} state=${state} viewer=${viewer} channelId=${model.channelId} unread=${model.unread} ...${navigation} />
    </div>
    <button type="button" class="scrim" aria-label="Close channels" tabindex="-1" onClick=${closeDrawer}></button>
    <${Main} session=${session} state=${state} viewer=${viewer} openDrawer=${() => setDrawerOpen(true)} />
    ${model.modals.length > 0 && html`<${ModalStack} session=${session} state=${state} viewer=${viewer} />`}
  </div>`;
}

type MainProps = {
  readonly session: Session;
  readonly state: PageState;
  readonly viewer: Viewer;
  readonly openDrawer: () => void;
};

function Main({ session, state, viewer, openDrawer }: MainProps): VNode {
  const { model, dispatch } = session;
  const channel = viewer.channels.get(model.channelId);
  useTitle(channel ? channelTitle(channel, viewer) : '', model.unread.size, state);
  if (!channel)
    return html`<main class="main"><div class="loading">There is no channel that this member can see.</div></main>`;
  const openThread = (ts: string | null) => dispatch({ type: 'open thread', ts });
  const conversation: ConversationProps = {
    ...{ state, viewer, sentCount: session.sentCount, send: session.send, waiting: session.waiting },
    messages: model.messages.get(channel.id) ?? [],
    stream: model.stream,
    targetTs: model.targetTs,
    actions: { ...messageActions(session, state), openThread },
  };
  const { threadTs, tab } = model;
  const isApp = hasHome(channel, state);
  const openTab = (next: AppTab) => dispatch({ type: 'open tab', tab: next });
  const front = {
    tabs: isApp ? html`<${AppTabs} tab=${tab} open=${openTab} isUnread=${model.unread.has(channel.id)} />` : null,
    home: isApp && tab === 'home' ? html`<${HomeView} session=${session} state=${state} viewer=${viewer} />` : null,
  };
  return html`<main class=${`main${threadTs === null ? '' : ' has-thread'}`}>
    <${ChannelView} ...${conversation} ...${front} channel=${channel} hasUnread=${model.unread.size > 0} openDrawer=${openDrawer} />
    ${threadTs !== null && html`<${ThreadPane} ...${conversation} channel=${channel} threadTs=${threadTs} close=${() => openThread(null)} />`}
  </main>`;
}

function messageActions(
  { model, press, suggest, shortcut, remove, openDetails }: Session,
  { app }: PageState,
): MessageActions {
  return { press, suggest, pending: model.pending, shortcuts: app.shortcuts, shortcut, remove, openDetails };
}

/** Shows the channel and a mark for unread messages in the browser tab. */
function useTitle(channel: string, unread: number, { workspace }: PageState): void {
  useEffect(() => {
    document.title = `${unread > 0 ? '• ' : ''}${channel} | ${workspace.name}`;
  }, [channel, unread, workspace.name]);
}

const tickMs = 30_000;

type Opening = Pick<Viewer, 'openChannel' | 'openMessage'>;

function useViewer(state: PageState, userId: string, opening: Opening): Viewer {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return useMemo(() => {
    const users = new Map([...state.users, bot(state)].map((user) => [user.id, user]));
    const channels = new Map(visibleChannels(state, userId).map((channel) => [channel.id, channel]));
    const timeZone = users.get(userId)?.timeZone ?? 'UTC';
    return { userId, users, channels, timeZone, now, origin: location.origin, ...opening };
  }, [state, userId, now]);
}

/** The bot's user, also after the app was removed: its messages remain. */
function bot({ app }: PageState): PageUser {
  return {
    id: app.botUserId,
    name: app.name,
    realName: app.name,
    isAdmin: false,
    isBot: true,
    isExternal: false,
    guest: null,
    timeZone: 'Etc/UTC',
  };
}

type HomeProps = { readonly session: Session; readonly state: PageState; readonly viewer: Viewer };

function HomeView({ session, state, viewer }: HomeProps): VNode {
  const { home } = session.model;
  if (!home)
    return html`<div class="home"><p class="soft" role="status">${state.app.name} has put nothing here yet.</p></div>`;
  return html`<${FilledHome} key=${home.id} view=${home} session=${session} viewer=${viewer} />`;
}

type FilledProps = Omit<HomeProps, 'state'> & { readonly view: PageView };

function FilledHome({ view, session, viewer }: FilledProps): VNode {
  const { scope, problem } = useViewForm(view, session, viewer);
  return html`<div class="home" tabindex="0" role="region" aria-label="Home">
    ${problem !== null && html`<div class="banner" role="alert">${problem}</div>`}
    <div class="home-blocks view-blocks">
      ${view.blocks.map((block) => html`<${BlockView} key=${block.block_id} block=${block} scope=${scope} />`)}
    </div>
  </div>`;
}

type TabsProps = { readonly tab: AppTab; readonly open: (tab: AppTab) => void; readonly isUnread: boolean };

const names: readonly (readonly [AppTab, string])[] = [
  ['home', 'Home'],
  ['messages', 'Messages'],
];

/** The two tabs of the app. */
function AppTabs({ tab, open, isUnread }: TabsProps): VNode {
  return html`<nav class="tabs" aria-label="App">
    ${names.map(
      ([id, name]) => html`<button
        type="button"
        class=${`tab${id === tab ? ' is-open' : ''}`}
        aria-current=${id === tab ? 'page' : undefined}
        onClick=${() => open(id)}
      >
        ${name}${id === 'messages' && isUnread && html`<span class="unread" role="img" aria-label="unread messages"></span>`}
      </button>`,
    )}
  </nav>`;
}
