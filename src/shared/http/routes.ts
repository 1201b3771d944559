/** Routes a request by its method and path. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { writeRefusal } from './exchange.ts';

export type Route = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * Compares paths as they arrive, up to a question mark: nothing is decoded, resolved or folded.
 * @param routes by method and path, such as `GET /healthz`
 * @returns a function that rejects with the error of a route
 */
export function createRouter(routes: Readonly<Record<string, Route>>) {
  const methodsByPath = new Map<string, Map<string, Route>>();
  for (const [name, route] of Object.entries(routes)) {
    const [method = '', path = ''] = name.split(' ');
    methodsByPath.set(path, (methodsByPath.get(path) ?? new Map()).set(method, route));
  }
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    const methods = methodsByPath.get(path);
    const route = methods?.get(request.method ?? '');
    if (route) await route(request, response);
    else if (methods) writeRefusal(response, 405, { allow: [...methods.keys()].join(', ') });
    else writeRefusal(response, 404);
  };
}
