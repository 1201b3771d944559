/** The workspaces of the local Slack, and word of whatever changes about them. */
import type { Clock } from '../../shared/time/clock.ts';
import { createEvents, type Events } from '../server/events.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

export type Workspaces = {
  readonly list: () => readonly Workspace[];
  /** One more, in which the app is not installed yet. */
  readonly add: () => Workspace;
  /** Someone came or changed, the app was installed or removed. */
  readonly changes: Events<null>;
};

export function createWorkspaces(clock: Clock): Workspaces {
  const workspaces: Workspace[] = [];
  const changes = createEvents<null>();
  const onChange = () => changes.emit(null);
  return {
    changes,
    list: () => workspaces,
    add: () => {
      const added = createWorkspace(workspaces.length + 1, clock, onChange);
      workspaces.push(added);
      onChange();
      return added;
    },
  };
}
