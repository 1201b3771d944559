/** An Enterprise organization: its workspaces, its admins, and the app installed in the whole of it. */
import type { Clock } from '../../shared/time/clock.ts';
import { createFiles, type Files } from '../files/store.ts';
import { slackId } from './ids.ts';
import { createInstallation, type Installation } from './installation.ts';
import type { Storage } from './storage.ts';

export type Organization = {
  readonly id: string;
  readonly name: string;
  /** The number of its first workspace, whose bot user serves all of them. */
  readonly number: number;
  /** Ids of its workspaces. */
  readonly teamIds: Set<string>;
  /** Ids of the people who administer the organization. */
  readonly adminIds: Set<string>;
  /** The app's installation in the whole organization; no workspace has the app before it is added there. */
  readonly installation: Installation;
  /** Ids of the workspaces to which the app was added. */
  readonly accessIds: ReadonlySet<string>;
  /** Adds the app to workspaces, or removes it. */
  readonly setAccess: (teamIds: Iterable<string>, isGranted: boolean) => void;
  readonly files: Files;
};

/** @returns the organization if its installation serves this workspace */
export function servingOrganization({
  organization,
  teamId,
}: {
  readonly organization: Organization | null;
  readonly teamId: string;
}): Organization | null {
  return organization?.accessIds.has(teamId) ? organization : null;
}

/** @param number of its first workspace @param onChange called on install and uninstall, and on changes of access */
export function createOrganization(number: number, clock: Clock, onChange: () => void, storage: Storage): Organization {
  const access = storage.records<readonly string[]>('access', number);
  const accessIds = new Set(access.list()[0]);
  // Tokens have a number of their own.
  const ownNumber = 500 + number;
  return {
    id: slackId('E', number, 'local'),
    name: `Local Organization ${number}`,
    number,
    teamIds: new Set(),
    adminIds: new Set(),
    installation: createInstallation(ownNumber, clock, onChange, storage.records('installation', ownNumber)),
    accessIds,
    setAccess: (teamIds, isGranted) => {
      for (const teamId of teamIds) accessIds[isGranted ? 'add' : 'delete'](teamId);
      access.put('app', [...accessIds]);
      onChange();
    },
    files: createFiles(storage.records('file', ownNumber)),
  };
}
