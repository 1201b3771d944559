/** Which workspace: each has its own people, channels and installation of the app. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { PageState, PageWorkspace } from '../protocol.ts';
import { addWorkspace } from '../server.ts';
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
      </li>`;
  };
  const button = html`${drawTile(workspace)}
    <span class="switcher-words">
      <span class="workspace-name">${workspace.name}</span>
      <span class="workspace-note">${workspace.isInstalled ? 'On this machine only' : `${app.name} is not installed`}</span>
    </span>`;
  return html`<${Switcher} className="switcher-down" label="Workspaces" button=${button} items=${items} />`;
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
  const [letter = ''] = [...(/\d+$/.exec(name)?.[0] ?? name)];
  return html`<span class="workspace-tile" aria-hidden="true">${letter}</span>`;
}
