/** Finds the database of an organization for reads and for writes. */
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../../shared/errors.ts';
import { isClosed } from '../postgres/closed.ts';
import type { RecordStore } from '../store.ts';
import type { ServerStores } from './connections.ts';
import type { Directory } from './directory.ts';

export type Route = {
  /** @throws AppError `unavailable` if the server is not known or does not answer */
  readonly storeOf: (organizationId: string) => RecordStore;
  /** @returns null if the organization is in no directory */
  readonly find: (organizationId: string) => Promise<RecordStore | null>;
  /**
   * Waits while the organization is being moved, and then writes to its new server.
   * @throws AppError `unavailable` if the move takes too long
   */
  readonly write: <Result>(organizationId: string, work: (store: RecordStore) => Promise<Result>) => Promise<Result>;
};

/** For the comparison of both servers, which takes a second for 25,000 executions on a busy small machine. */
const moveWithinMs = 300_000;
const againMs = 200;

export function createRoute(directory: Directory, stores: ServerStores): Route {
  const storeOf = (organizationId: string) => stores.of(directory.serverOf(organizationId));
  return {
    storeOf,
    find: async (organizationId) => {
      const server = await directory.find(organizationId);
      return server === null ? null : stores.of(server);
    },
    async write(organizationId, work) {
      for (const until = performance.now() + moveWithinMs; ; ) {
        await directory.find(organizationId);
        try {
          return await work(storeOf(organizationId));
        } catch (error) {
          if (!isClosed(error) || performance.now() > until) throw error;
          await wait(againMs);
          await directory.refresh();
        }
      }
    },
  };
}

/** @throws AppError `not_found` */
export function unknownOrganization(organizationId: string): AppError {
  return new AppError('not_found', `There is no organization ${organizationId}.`);
}
