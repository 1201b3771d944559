/** The app's two tabs, and its Home. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { BlockView } from '../blocks/block.ts';
import { usePage } from '../hooks/use-page.ts';
import { useViewForm } from '../hooks/use-view-form.ts';
import type { AppTab, PageView } from '../protocol.ts';

export function HomeView(): VNode {
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
    <div class="home-blocks view-blocks">
      ${view.blocks.map((block) => html`<${BlockView} key=${block.block_id} block=${block} scope=${scope} />`)}
    </div>
  </div>`;
}

const names: readonly (readonly [AppTab, string])[] = [
  ['home', 'Home'],
  ['messages', 'Messages'],
];

export function AppTabs({ isUnread }: { readonly isUnread: boolean }): VNode {
  const { model, dispatch } = usePage();
  return html`<nav class="tabs" aria-label="App">
    ${names.map(
      ([tab, name]) => html`<button
        type="button"
        class=${`tab${tab === model.tab ? ' is-open' : ''}`}
        aria-current=${tab === model.tab ? 'page' : undefined}
        onClick=${() => dispatch({ type: 'open tab', tab })}
      >
        ${name}${tab === 'messages' && isUnread && html`<span class="unread" role="img" aria-label="unread messages"></span>`}
      </button>`,
    )}
  </nav>`;
}
