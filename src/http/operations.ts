/** What whoever runs the bot asks it: whether it lives, whether it can work, and how much it has done. */
import { writeText } from './exchange.ts';
import type { Route } from './routes.ts';

export type OperationsDeps = {
  /** Whether Slack can reach this process. */
  readonly isConnected: () => boolean;
  /** @throws while the bot's own database does not answer */
  readonly checkStore: () => Promise<void>;
  /** @returns what is wrong with the clock of this machine, in a line; undefined where nothing is known to be */
  readonly clockProblem: () => string | undefined;
  readonly metrics: { readonly text: () => Promise<string>; readonly contentType: string };
};

/**
 * `GET /healthz`: the process answers; restart it where it does not. `GET /readyz`: it can take work; send it none where it
 * cannot. `GET /metrics`: for Prometheus. None of them tells anything of a workspace.
 */
export function operationsRoutes({
  isConnected,
  checkStore,
  clockProblem,
  metrics,
}: OperationsDeps): Readonly<Record<string, Route>> {
  return {
    'GET /healthz': (_request, response) => writeText(response, 200, 'ok\n'),
    'GET /readyz': async (_request, response) => {
      const clock = clockProblem();
      const problems = [
        ...(clock === undefined ? [] : [clock]),
        ...(isConnected() ? [] : ['slack: not connected']),
        ...(await checkStore().then(
          () => [],
          () => ['store: no answer'],
        )),
      ];
      writeText(response, problems.length === 0 ? 200 : 503, `${problems.join('\n') || 'ready'}\n`);
    },
    'GET /metrics': async (_request, response) => {
      writeText(response, 200, await metrics.text(), metrics.contentType);
    },
  };
}
