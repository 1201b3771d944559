/** The app's Home tab. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { BlockView } from '../blocks/block.ts';
import type { Session } from '../hooks/use-session.ts';
import { useViewForm } from '../hooks/use-view-form.ts';
import type { Viewer } from '../model/viewer.ts';
import type { AppTab, PageState, PageView } from '../protocol.ts';

type HomeProps = { readonly session: Session; readonly state: PageState; readonly viewer: Viewer };

export function HomeView({ session, state, viewer }: HomeProps): VNode {
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
export function AppTabs({ tab, open, isUnread }: TabsProps): VNode {
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
