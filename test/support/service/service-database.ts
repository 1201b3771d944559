/** The database of a test's services: in memory, unless a suite chooses another. */

const chosen = { make: async () => 'sqlite::memory:' };

/** Sets the database of every service that this file starts from now on. @param make returns the URL of an empty database */
export function keepServicesIn(make: () => Promise<string>): void {
  chosen.make = make;
}

/** @returns the URL of an empty database */
export function newServiceDatabase(): Promise<string> {
  return chosen.make();
}
