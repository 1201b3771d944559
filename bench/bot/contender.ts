/** A bot in its own process and local Slack: started, measured and stopped. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { LocalSlack } from '../../src/local-slack/server/local-slack.ts';
import { startLocalSlack } from '../../src/local-slack/server/server.ts';
import { memoryFlags } from '../../test/support/memory-flags.ts';
import { type TypeOnce, typingInSlack } from './people.ts';
import type { Order, Said, Settings, Usage } from './protocol.ts';
import { typingOverHttp } from './signed-http.ts';

export type Contender = {
  readonly slack: LocalSlack;
  /** One person types one command, over its transport; resolves when it is acknowledged. */
  readonly type: TypeOnce;
  /** Resources used since the last call. */
  readonly usage: () => Promise<Usage>;
  readonly startProfile: () => Promise<void>;
  /** @returns milliseconds of processor time by component */
  readonly endProfile: () => Promise<Readonly<Record<string, number>>>;
  readonly stop: () => Promise<void>;
};

/** Ignores every line. */
export const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export function startSlack(): Promise<LocalSlack> {
  return startLocalSlack({
    host: '127.0.0.1',
    port: 0,
    slashCommand: '/workflow',
    commands: [],
    clock: Date.now,
    log: silent,
  });
}

const signingSecret = 'a-signing-secret-of-the-bench';

type ContenderOptions = Omit<Settings, 'slackApiUrl' | 'botToken' | 'appToken' | 'signingSecret'>;

/** @param entry a file in this folder @returns the contender, once it is connected */
export async function startContender(entry: URL, options: ContenderOptions): Promise<Contender> {
  const slack = await startSlack();
  const { apiUrl: slackApiUrl, botToken, appToken } = slack;
  const settings: Settings = { ...options, slackApiUrl, botToken, appToken, signingSecret };
  // Standard output goes to /dev/null, like a log file: writing it is part of the work.
  const child = fork(entry, [JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [...memoryFlags, '--disable-warning=ExperimentalWarning'],
  });
  const { origin } = await heard(child, 'ready');
  const typing =
    origin === null ? typingInSlack(slack) : typingOverHttp({ origin, signingSecret, teamId: slack.workspace.teamId });
  const tell = (order: Order) => child.send(order);
  return {
    slack,
    type: typing.type,
    usage: async () => {
      tell('usage');
      return (await heard(child, 'usage')).usage;
    },
    startProfile: async () => {
      tell('start profile');
      await heard(child, 'profiling');
    },
    endProfile: async () => {
      tell('end profile');
      return (await heard(child, 'profile')).parts;
    },
    stop: async () => {
      await typing.close();
      const exited = once(child, 'exit');
      // A process that ended by itself has printed the reason.
      if (child.connected) {
        child.disconnect();
        await exited;
      }
      await slack.close();
    },
  };
}

/** @throws Error if the process ends first */
function heard<Kind extends Said['kind']>(child: ChildProcess, kind: Kind): Promise<Extract<Said, { kind: Kind }>> {
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
      reject(new Error(`A contender ended before it said “${kind}”.`));
    };
    child.on('message', listen);
    child.on('exit', end);
  });
}

function isKind<Kind extends Said['kind']>(said: Said, kind: Kind): said is Extract<Said, { kind: Kind }> {
  return said.kind === kind;
}
