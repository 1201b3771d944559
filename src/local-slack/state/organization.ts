/** An Enterprise organization: its workspaces, its admins, and the app installed in the whole of it. */
import type { Clock } from '../../shared/time/clock.ts';
import { Files } from '../files/store.ts';
import { slackId } from './ids.ts';
import { Installation } from './installation.ts';
import type { Storage } from './storage.ts';

export class Organization {
  readonly id: string;
  readonly name: string;
  /** The number of its first workspace, whose bot user serves all of them. */
  readonly number: number;
  /** Ids of its workspaces. */
  readonly teamIds = new Set<string>();
  /** Ids of the people who administer the organization. */
  readonly adminIds = new Set<string>();
  /** The app's installation in the whole organization; no workspace has the app before it is added there. */
  readonly installation: Installation;
  /** Ids of the workspaces to which the app was added. */
  readonly accessIds: Set<string>;
  readonly files: Files;
  readonly #onChange: () => void;
  readonly #records: Map<string, readonly string[]>;

  /** @param number of its first workspace @param onChange called on install and uninstall, and on changes of access */
  constructor(number: number, clock: Clock, onChange: () => void, storage: Storage) {
    // Tokens have a number of their own.
    const ownNumber = 500 + number;
    this.id = slackId('E', number, 'local');
    this.name = `Local Organization ${number}`;
    this.number = number;
    this.installation = new Installation(ownNumber, clock, onChange, storage.records('installation', ownNumber));
    this.files = new Files(storage.records('file', ownNumber));
    this.#onChange = onChange;
    this.#records = storage.records('access', number);
    this.accessIds = new Set(this.#records.get('app'));
  }

  /** Adds the app to workspaces, or removes it. */
  setAccess(teamIds: Iterable<string>, isGranted: boolean): void {
    for (const teamId of teamIds) this.accessIds[isGranted ? 'add' : 'delete'](teamId);
    this.#records.set('app', [...this.accessIds]);
    this.#onChange();
  }
}
