/** Answers routes for operators and browsers only under known host names. */
import { isIP } from 'node:net';
import { writeRefusal } from './exchange.ts';
import type { Route } from './routes.ts';

/** Names that the public DNS does not have: names of containers and machines, and those reserved for private networks. */
const privateName = /^[^.]+$|\.(localhost|local|internal|lan|home\.arpa|svc)$/;

/**
 * Refuses requests under a name that an attacker could point at this machine, so that a page of the attacker could read
 * the answer (DNS rebinding). Addresses and private names are not in the public DNS.
 * @param names further names that are answered
 * @returns the same routes, which answer 421 under any other name
 */
export function onlyUnder(
  names: readonly string[],
  routes: Readonly<Record<string, Route>>,
): Readonly<Record<string, Route>> {
  const known = new Set(names.map((name) => name.toLowerCase()));
  const guarded = (route: Route): Route => {
    return (request, response) =>
      isKnown(request.headers.host, known) ? route(request, response) : writeRefusal(response, 421);
  };
  return Object.fromEntries(Object.entries(routes).map(([path, route]) => [path, guarded(route)]));
}

/** A request without the header does not come from a browser. */
function isKnown(host: string | undefined, known: ReadonlySet<string>): boolean {
  if (host === undefined) return true;
  const hostname = /^[\w.:[\]-]+$/.test(host) ? URL.parse(`http://${host}`)?.hostname : undefined;
  if (hostname === undefined) return false;
  const name = hostname.replace(/\.$/, '');
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0 || privateName.test(name) || known.has(name);
}
