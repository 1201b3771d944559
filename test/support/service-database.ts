/** Where the services of a test keep their records: in memory, unless a suite says otherwise for all that it holds. */

const chosen = { make: async () => 'sqlite::memory:' };

/** For every service that this file starts from now on. @param make gives the URL of an empty database */
export function keepServicesIn(make: () => Promise<string>): void {
  chosen.make = make;
}

/** @returns the URL of an empty database */
export function newServiceDatabase(): Promise<string> {
  return chosen.make();
}
