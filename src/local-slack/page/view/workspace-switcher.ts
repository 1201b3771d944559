/** Which workspace: each has its own people, channels and installation of the app. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { PageState, PageWorkspace } from '../protocol.ts';
import { addWorkspace, uninstall } from '../server.ts';
import { safeUrl } from '../text/safe-url.ts';
import { icon } from './icons.ts';
import { Switcher } from './switcher.ts';

type WorkspaceProps = { readonly state: PageState; readonly open: (teamId: string) => void };

export function WorkspaceSwitcher({ state, open }: WorkspaceProps): VNode {
  const { workspace, workspaces, app } = state;
  const items = (close: () => void) => {
    const choose = (id: string) => {
      close();
      open(id);
    };
    return html`${workspaces.map((each) => drawWorkspace(each, state, choose))}
      <li>
        <button type="button" class="switcher-member" onClick=${() => void addWorkspace()}>
          <span class="workspace-tile workspace-add" aria-hidden="true">+</span>
          <span class="switcher-words"><span class="switcher-name">Add a workspace</span></span>
        </button>
      </li>
      <${AppItem} state=${state} />`;
  };
  const button = html`${drawTile(workspace)}
    <span class="switcher-words">
      <span class="workspace-name">${workspace.name}</span>
      <span class="workspace-note">${workspace.isInstalled ? 'On this machine only' : `${app.name} is not installed`}</span>
    </span>`;
  return html`<${Switcher} className="switcher-down" label="Workspaces" button=${button} items=${items} />`;
}

/** Brings the app into the open workspace, or takes it out, once one is sure. */
function AppItem({ state: { workspace, app } }: Pick<WorkspaceProps, 'state'>): VNode | null {
  const [isSure, setSure] = useState(false);
  if (!workspace.isInstalled) {
    if (app.installUrl === null) return null;
    const address = safeUrl(app.installUrl) ?? undefined;
    return html`<li>
      <a class="switcher-member" href=${address} target="_blank" rel="noopener noreferrer">${appWords(`Install ${app.name}`)}</a>
    </li>`;
  }
  const remove = () => {
    setSure(!isSure);
    if (isSure) void uninstall(workspace.id);
  };
  const words = isSure ? appWords('Really remove it?', `From ${workspace.name}`) : appWords(`Remove ${app.name}…`);
  return html`<li><button type="button" class="switcher-member" onClick=${remove}>${words}</button></li>`;
}

function appWords(words: string, caption?: string): VNode {
  return html`<span class="workspace-tile workspace-add" aria-hidden="true">⚙</span>
    <span class="switcher-words">
      <span class="switcher-name">${words}</span>
      ${caption !== undefined && html`<span class="switcher-caption">${caption}</span>`}
    </span>`;
}

function drawWorkspace(
  workspace: PageWorkspace,
  { workspace: open, app }: PageState,
  choose: (id: string) => void,
): VNode {
  const isOpen = workspace.id === open.id;
  return html`<li key=${workspace.id}>
    <button type="button" class="switcher-member" aria-current=${isOpen} onClick=${() => choose(workspace.id)}>
      ${drawTile(workspace)}
      <span class="switcher-words">
        <span class="switcher-name">${workspace.name}</span>
        <span class="switcher-caption">${workspace.isInstalled ? `With ${app.name}` : `Without ${app.name}`}</span>
      </span>
      ${isOpen && icon('check')}
    </button>
  </li>`;
}

/** Told apart by what their names end in: the others are numbered. */
function drawTile({ name }: PageWorkspace): VNode {
  const [letter = ''] = [...(/(?<!\d)\d+$/.exec(name)?.[0] ?? name)];
  return html`<span class="workspace-tile" aria-hidden="true">${letter}</span>`;
}
