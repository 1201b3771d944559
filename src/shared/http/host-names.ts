/** Answers routes for operators and browsers under known host names only. */
import { isIP } from 'node:net';
import { writeRefusal } from './exchange.ts';
import type { Route } from './routes.ts';

/** Names that the public DNS does not have: of containers and machines, and those that networks keep for themselves. */
const privateName = /^[^.]+$|\.(localhost|local|internal|lan|home\.arpa|svc)$/;

/**
 * Refuses requests under a name that an attacker could point at this machine, whose page would read the answer (DNS
 * rebinding). Addresses and private names are not in the public DNS.
 * @param names further ones that are answered @returns the same routes, refusing under any other name with 421
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

/** A request without the header is no browser's. */
function isKnown(host: string | undefined, known: ReadonlySet<string>): boolean {
  if (host === undefined) return true;
  const hostname = /^[\w.:[\]-]+$/.test(host) ? URL.parse(`http://${host}`)?.hostname : undefined;
  if (hostname === undefined) return false;
  const name = hostname.replace(/\.$/, '');
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0 || privateName.test(name) || known.has(name);
}
