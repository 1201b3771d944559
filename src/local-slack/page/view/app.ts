/** The whole page: sidebar, conversation, thread and modals. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Page, PageContext, usePage } from '../hooks/use-page.ts';
import { type Session, useSession } from '../hooks/use-session.ts';
import { channelTitle, type Viewer, visibleChannels } from '../model/viewer.ts';
import type { PageState } from '../protocol.ts';
import { ChannelView, ThreadPane } from './conversation.ts';
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
  const viewer = useViewer(state, model.userId, {
    openChannel: (channel) => {
      document.getElementById('sidebar')?.hidePopover();
      dispatch({ type: 'open channel', channel });
    },
    openMessage: (message) => dispatch({ type: 'open message', message }),
  });
  const page: Page = { ...session, state, viewer };
  return html`<${PageContext.Provider} value=${page}>
    <div class="frame">
      <div id="sidebar" class="sidebar column" popover="auto"><${Sidebar} /></div>
      <${Main} />
      ${model.modals.length > 0 && html`<${ModalStack} />`}
    </div>
  <//>`;
}

function Main(): VNode {
  const { model, state, viewer } = usePage();
  const channel = viewer.channels.get(model.channelId);
  useTitle(channel ? channelTitle(channel, viewer) : '', model.unread.size, state);
  if (!channel)
    return html`<main class="main"><div class="loading">There is no channel that this member can see.</div></main>`;
  const { threadTs } = model;
  return html`<main class=${`main${threadTs === null ? '' : ' has-thread'}`}>
    <${ChannelView} channel=${channel} />
    ${threadTs !== null && html`<${ThreadPane} channel=${channel} threadTs=${threadTs} />`}
  </main>`;
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
    const users = new Map(state.users.map((user) => [user.id, user]));
    const channels = new Map(visibleChannels(state, userId).map((channel) => [channel.id, channel]));
    const timeZone = users.get(userId)?.timeZone ?? 'UTC';
    return { userId, users, channels, timeZone, now, origin: location.origin, ...opening };
  }, [state, userId, now]);
}
