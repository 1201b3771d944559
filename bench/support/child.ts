/** A process of a benchmark: starts it, sends it orders and waits for what it says. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

type Spoken = { readonly kind: string };

export type Child<Order extends object | string, Said extends Spoken> = {
  readonly tell: (order: Order) => void;
  /** @throws Error if the process ends first */
  readonly heard: <Kind extends Said['kind']>(kind: Kind) => Promise<Extract<Said, { readonly kind: Kind }>>;
  /** Ends it by closing its channel. */
  readonly stop: () => Promise<void>;
};

/** @param settings its first argument, as JSON */
export function startChild<Order extends object | string, Said extends Spoken>(
  entry: URL,
  settings: object,
  flags: readonly string[] = [],
): Child<Order, Said> {
  // Standard output goes to /dev/null, like a log file: writing it is part of the work.
  const child = fork(entry, [JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [...flags, '--disable-warning=ExperimentalWarning'],
  });
  return {
    tell: (order) => void child.send(order),
    heard: (kind) => heard(child, kind),
    stop: async () => {
      // A process that ended by itself has printed the reason.
      if (!child.connected) return;
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

function heard<Said extends Spoken, Kind extends Said['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<Said, { readonly kind: Kind }>> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      child.off('message', listen);
      child.off('exit', end);
    };
    const listen = (said: Said) => {
      if (!isKind(said, kind)) return;
      stop();
      resolve(said);
    };
    const end = () => {
      stop();
      reject(new Error(`A process of the benchmark ended before it said “${kind}”.`));
    };
    child.on('message', listen);
    child.on('exit', end);
  });
}

function isKind<Said extends Spoken, Kind extends Said['kind']>(
  said: Said,
  kind: Kind,
): said is Extract<Said, { readonly kind: Kind }> {
  return said.kind === kind;
}
