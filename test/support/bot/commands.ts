/** Commands through the real dispatcher over the real service with the sample, at a fixed time. */

import { afterAll, beforeAll } from 'vitest';
import { AccessControl, type Members } from '../../../src/bot/commands/access/access-control.ts';
import { createWorkspaceRulesCache } from '../../../src/bot/commands/access/workspace-rules.ts';
import type {
  Answer,
  AnswerFile,
  AnyCommand,
  ChannelCalls,
  MessageAnswer,
  Services,
  ThreadAnswer,
} from '../../../src/bot/commands/framework/command.ts';
import {
  createDispatch,
  createSubmit,
  type Dispatch,
  type Submit,
} from '../../../src/bot/commands/framework/dispatch.ts';
import { RunningOperations } from '../../../src/bot/commands/framework/running-operations.ts';
import { createHome, type HomeOf } from '../../../src/bot/commands/home.ts';
import { createLinkPreviews, type LinkPreviews } from '../../../src/bot/commands/link-preview.ts';
import {
  createNameSearch,
  createZoneSearch,
  type NameSearch,
  type ZoneSearch,
} from '../../../src/bot/commands/lookup/menu-search.ts';
import * as registry from '../../../src/bot/commands/registry.ts';
import { type Connections, createConnections, type KeyChecks } from '../../../src/bot/connection/connections.ts';
import { CredentialResolver } from '../../../src/bot/connection/credential-resolver.ts';
import type { ConnectionServices } from '../../../src/bot/connection/key-health.ts';
import type { Measure } from '../../../src/bot/domain/measure.ts';
import { createWebLinks, type WebLinkTemplates } from '../../../src/bot/domain/web-links.ts';
import { createQueryService, type QueryServiceDeps } from '../../../src/bot/query/query-client.ts';
import { PictureRenderer } from '../../../src/bot/rendering/renderer.ts';
import { WaitingNotes } from '../../../src/bot/slack/inbound/listeners/answering.ts';
import { createAuditLog } from '../../../src/bot/store/audit-recorder.ts';
import { openStore, type Store } from '../../../src/bot/store/store.ts';
import type { Message } from '../../../src/bot/views/blocks/message.ts';
import type { Modal } from '../../../src/bot/views/blocks/modal.ts';
import { createMemoryLog } from '../runner/memory-log.ts';
import { silentLog, startTestService, type TestService } from '../service/service.ts';
import { everybodyIs } from './authorise.ts';
import { testRuntime } from './runtime.ts';
import { openNewStore, testKeys } from './store.ts';

/** A Saturday in the middle of a quiet hour. */
export const sampleNow = Date.parse('2026-11-21T10:30:00Z');

export type SampleService = Pick<TestService, 'url' | 'ask'> & {
  readonly apiKey: string;
  /** The key of another organization. */
  readonly foreignKey: string;
};

let sample: Promise<SampleService> | undefined;

/** @returns the service with the sample of `sampleNow`, for tests that only read: one for all files of a process, which ends it */
export function sampleService(): Promise<SampleService> {
  sample ??= serviceAt(() => sampleNow);
  return sample;
}

async function serviceAt(clock: () => number): Promise<SampleService & Pick<TestService, 'close'>> {
  const { url, ask, sampleKeys, close } = await startTestService({ sample: 'fixed', hasRecords: false, clock });
  const [apiKey = '', foreignKey = ''] = Object.values(sampleKeys);
  return { url, ask, apiKey, foreignKey, close };
}

export type Person = { readonly teamId: string; readonly userId: string; readonly channelId: string };

export type TestCommands = {
  readonly dispatch: Dispatch;
  readonly submit: Submit;
  readonly searchNames: NameSearch;
  readonly searchZones: ZoneSearch;
  readonly homeOf: HomeOf;
  readonly previews: LinkPreviews;
  /** @returns the answer, which must be a message, and whether it had to wait */
  readonly type: (line: string, options?: TypeOptions) => Promise<Typed>;
  /** @returns every message of an answer of any kind, and whether it had to wait */
  readonly run: (line: string, options?: TypeOptions) => Promise<Ran>;
  /** @returns the answer, which must be a thread */
  readonly investigate: (line: string, options?: TypeOptions) => Promise<ThreadAnswer>;
  /** Every line of the log. */
  readonly logged: () => string;
  readonly apiKey: string;
  /** Of this one alone. */
  readonly store: Store;
  readonly connections: Connections & KeyChecks;
  readonly close: () => Promise<void>;
};

export type Ran = {
  readonly messages: readonly Message[];
  readonly files: readonly AnswerFile[];
  readonly modals: readonly Modal[];
  readonly isProblem: boolean;
  /** True if the query service was asked. */
  readonly hasWaited: boolean;
};

/** A line without a person is typed by a new person, because rate limits are per person. */
type TypeOptions = { readonly person?: Person; readonly isFresh?: boolean };

export type Typed = { readonly answer: MessageAnswer; readonly text: string; readonly hasWaited: boolean };

type TestCommandsOptions = {
  /** Those of the registry if absent. */
  readonly commands?: readonly AnyCommand[];
  readonly measure?: Measure;
  /** The service's endpoint; the sample if absent: that of all tests, or a new one for a clock. */
  readonly service?: { readonly url: string; readonly apiKey: string };
  readonly clock?: () => number;
  readonly zone?: string;
  /** The services to which a workspace connects itself; queries then use only the stored key. */
  readonly endpoints?: readonly [string, ...string[]];
  readonly hasKeyring?: boolean;
  readonly webLinks?: WebLinkTemplates;
  /** URL of the store; a new one if absent. */
  readonly databaseUrl?: string;
  readonly notifyPerson?: ConnectionServices['notifyPerson'];
  /** Slack's answers about channels; the bot is in every channel if absent. */
  readonly channels?: ChannelCalls;
  /** Waits before a refused key is tried again; no wait if absent. */
  readonly waitForSecondTry?: ConnectionServices['waitForSecondTry'];
  /** Slack's answers about people; every person is an admin if absent. */
  readonly people?: Omit<Members, 'zoneOf'>;
  /** The key of each workspace; the service's own key for all if absent. */
  readonly apiKeyOf?: (teamId: string) => string;
  /** True for the notes of a slow answer; false by default, since a loaded machine is slow, too. */
  readonly hasWaitingNotes?: boolean;
  /** Overrides of the query client, such as its deadline and waits. */
  readonly query?: Partial<QueryServiceDeps>;
  /** Milliseconds of one answer; by default more than a loaded machine needs. */
  readonly answerWithinMs?: number;
  /** Milliseconds in which Home awaits a fresh answer; likewise. */
  readonly freshHomeMs?: number;
};

/** One for all commands of the process, because starting its worker takes longer than most tests. An idle worker ends. */
const renderer = new PictureRenderer(silentLog, { timeoutMs: 30_000 });

/** One of them for all tests of a file. @returns how a test reaches it */
export function useTestCommands(options: TestCommandsOptions = {}): () => TestCommands {
  let commands: TestCommands | undefined;
  beforeAll(async () => {
    commands = await startTestCommands(options);
  });
  afterAll(() => commands?.close());
  return () => {
    if (!commands) throw new Error('The commands are there as soon as the tests run.');
    return commands;
  };
}

export async function startTestCommands(options: TestCommandsOptions = {}): Promise<TestCommands> {
  const { answerWithinMs = 100_000 } = options;
  const clock = options.clock ?? (() => sampleNow);
  const own = options.service || !options.clock ? undefined : await serviceAt(clock);
  const { url, apiKey } = options.service ?? own ?? (await sampleService());
  const endpoints = options.endpoints ?? ([url] as const);
  const log = createMemoryLog();
  let lookups = 0;
  const measure: Measure = (measurement) => {
    if (measurement.kind === 'lookup' && measurement.source !== 'fresh') lookups += 1;
    options.measure?.(measurement);
  };
  const runtime = { ...testRuntime(clock, log.log), measure };
  const query = createQueryService({
    ...{ ...runtime, origins: endpoints },
    deadlineMs: answerWithinMs,
    ...options.query,
  });
  const keyOf = options.apiKeyOf ?? (() => apiKey);
  const askWithKey: Connections['queryClientFor'] = (teamId, asking) =>
    query.forWorkspace({ teamId, keyId: 'k1', endpoint: url, apiKey: keyOf(teamId) }, asking);
  const sealed = { keys: options.hasKeyring === false ? undefined : testKeys(), clock };
  const store = await (options.databaseUrl ? openStore(options.databaseUrl, sealed) : openNewStore(sealed));
  const zoneOf = async () => options.zone ?? 'Europe/Berlin';
  const members = { ...(options.people ?? everybodyIs('admin')), zoneOf };
  const audit = createAuditLog(store, runtime);
  const rules = createWorkspaceRulesCache(store, runtime);
  const access = new AccessControl({ runtime, store, audit, rules, members });
  const defaultKey = options.endpoints ? undefined : { endpoint: url, apiKey };
  const keys = { runtime, store, audit, endpoints, defaultKey };
  const connections = createConnections({
    ...{ ...keys, query, resolver: new CredentialResolver(keys) },
    notifyPerson: options.notifyPerson ?? (async () => true),
    waitForSecondTry: options.waitForSecondTry ?? (async () => undefined),
  });
  const queryClientFor = options.endpoints ? connections.queryClientFor : askWithKey;
  const services: Services = {
    ...{ runtime, store, audit, access, members },
    connections: { ...connections, queryClientFor },
    channels: options.channels ?? everyChannel,
    operations: new RunningOperations(runtime.createReference),
    wakeOutbox: () => undefined,
    drawPng: (svg) => renderer.render(svg),
    webLinks: createWebLinks(options.webLinks),
    commands: options.commands ?? Object.values(registry),
    slashCommand: '/workflow',
    answerWithinMs,
  };
  const dispatched = createDispatch(services);
  const dispatch = options.hasWaitingNotes ? withNotes(dispatched) : dispatched;
  let people = 0;
  const somebody = () => ({ teamId: 'T1', userId: `UANY${++people}`, channelId: 'C1' });
  const ask = async (line: string, { person = somebody(), isFresh = false }: TypeOptions = {}) => {
    const before = lookups;
    const answer = await dispatch({ line, actor: person, isFresh });
    return { answer, hasWaited: lookups > before };
  };
  return {
    dispatch,
    submit: createSubmit(services),
    searchNames: createNameSearch(services),
    searchZones: createZoneSearch(services),
    homeOf: createHome(services, options.freshHomeMs ?? 60_000),
    previews: createLinkPreviews(services),
    apiKey,
    store,
    connections,
    logged: () => log.text(),
    type: async (line, typing) => {
      const { answer, hasWaited } = await ask(line, typing);
      return { answer: asMessage(answer), text: asMessage(answer).message.text, hasWaited };
    },
    run: async (line, typing) => {
      const { answer, hasWaited } = await ask(line, typing);
      const nothing = { messages: [], files: [], modals: [], isProblem: false, hasWaited };
      switch (answer.kind) {
        case 'message': {
          const { message, file, isProblem = false } = answer;
          return { ...nothing, messages: [message], files: file ? [file] : [], isProblem };
        }
        case 'modal':
          return { ...nothing, modals: [answer.view] };
        case 'thread': {
          const { progress, root, replies } = answer;
          const files = replies.flatMap((reply) => reply.file ?? []);
          return { ...nothing, messages: [progress, root, ...replies.map(({ message }) => message)], files };
        }
      }
    },
    investigate: async (line, typing) => {
      const { answer } = await ask(line, typing);
      if (answer.kind !== 'thread')
        throw new Error(`“${line}” was not answered by a thread: ${JSON.stringify(answer)}`);
      return answer;
    },
    close: async () => {
      await query.close();
      await own?.close();
      await store.close();
    },
  };
}

/** The bot is in every channel, and messages have no links. */
const everyChannel: ChannelCalls = {
  showIn: async () => ({ kind: 'shown' }),
  linkTo: async () => undefined,
  withheldIn: async () => undefined,
};

function asMessage(answer: Answer): MessageAnswer {
  if (answer.kind !== 'message') throw new Error(`The answer is a ${answer.kind}.`);
  return answer;
}

/** As Slack's listeners do. */
function withNotes(dispatch: Dispatch): Dispatch {
  return async (request, onProgress = () => undefined) => {
    const notes = new WaitingNotes(onProgress, 2_000);
    return dispatch(request, notes.progress).finally(() => notes.stop());
  };
}
